"""Information from the operating system: this machine, processes, captured output."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "activity": (
            "Activity OwnLoad Reading Usage has_running_threads note_leftovers read_activity "
            "read_leftovers"
        ),
        "hosts": "Connection SSH_FAILED examine_on",
        "interpreters": "Interpreter Standby keeping_standby kept_standby take_standby",
        "machine": (
            "GpuInfo allowed_processors cpu_name cpu_quota find_gpus frequency_mhz governor "
            "last_cache_bytes load_average total_memory_bytes usable_cores"
        ),
        "process_tree": (
            "TreeMemory children descendants is_running is_stopped out_of_memory_kills "
            "processes_with_variable start_time"
        ),
        "remote_bootstrap": "MARK",
        "this_process": (
            "GET_TIMER_SLACK captured memory_bytes peak_memory_bytes punctual reset_peak_memory"
        ),
    },
)
