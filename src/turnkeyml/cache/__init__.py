"""Every path and every file format on disk; locks; atomic writes."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "arrays": (
            "BFLOAT16 KEYS VALUES fed fed_value flattened is_plain load_arrays narrow "
            "read_archive save_arrays top_name unpacked_bytes widen widened"
        ),
        "files": (
            "DamagedFile checksum is_regular link_or_copy load_yaml make_way open_regular "
            "read_json read_yaml remove_leftovers replacing to_yaml write_json write_yaml"
        ),
        "layout": (
            "BuildFolder build_folders build_name check_writable engine_file evaluation_file "
            "measurement_log peaks_file safe_name samples_file sweep_deleted timing_file "
            "trace_file worker_request"
        ),
        "locks": (
            "FileLock LockOrderError LockTimeout Rank Turn limit_waits name_process teller "
            "thread_lock"
        ),
        "plain_yaml": "parse",
        "runs": (
            "RunFolder SlurmRunFolder input_log journal_file journal_folder slurm_lock "
            "slurm_run_folders"
        ),
        "state": "ABANDONED BuildState PhaseEnd load_state read_state state_damage write_state",
        "stats": (
            "WORKING Work add_evaluation begin_work close_work damages end_held_work end_work "
            "evaluations_in load_labels read_history read_stats record_build "
            "reinstate_evaluations retire_evaluations update_invocation update_stats"
        ),
        "summary_index": (
            "BuildSummary EvaluationSummary Progress disk_bytes read_summary summaries"
        ),
    },
)
