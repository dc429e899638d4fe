"""Information from the operating system: this machine, processes, captured output."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "activity": "Activity Reading has_running_threads read_activity",
        "gpus": "Gpu find_gpus",
        "greeting": "MARK",
        "hosts": "Connection examine_on",
        "interpreters": "Interpreter",
        "leftovers": "OwnLoad Usage note_leftovers read_leftovers",
        "machine": (
            "allowed_processors cpu_name cpu_quota frequency_mhz governor last_cache_bytes "
            "load_average total_memory_bytes usable_cores"
        ),
        "process_tree": (
            "TreeMemory children descendants is_running is_stopped out_of_memory_kills "
            "processes_with_variable start_time"
        ),
        "ssh": "SSH_FAILED",
        "standby": "Standby keeping_standby kept_standby take_standby",
        "this_process": (
            "GET_TIMER_SLACK captured memory_bytes peak_memory_bytes punctual "
            "reset_peak_memory"
        ),
    },
)
