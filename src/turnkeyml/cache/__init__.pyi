# Written by .ci/doors from the table in __init__.py.
from turnkeyml.cache.arrays import (
    BFLOAT16 as BFLOAT16, KEYS as KEYS, VALUES as VALUES, fed as fed, fed_value as fed_value,
    flattened as flattened, is_plain as is_plain, load_arrays as load_arrays, narrow as narrow,
    read_archive as read_archive, save_arrays as save_arrays, top_name as top_name, unpacked_bytes
    as unpacked_bytes, widen as widen, widened as widened,
)
from turnkeyml.cache.files import (
    DamagedFile as DamagedFile, checksum as checksum, is_regular as is_regular, link_or_copy as
    link_or_copy, load_yaml as load_yaml, make_way as make_way, open_regular as open_regular,
    read_json as read_json, read_yaml as read_yaml, remove_leftovers as remove_leftovers, replacing
    as replacing, to_yaml as to_yaml, write_json as write_json, write_yaml as write_yaml,
)
from turnkeyml.cache.layout import (
    BuildFolder as BuildFolder, build_folders as build_folders, build_name as build_name,
    check_writable as check_writable, engine_file as engine_file, evaluation_file as
    evaluation_file, measurement_log as measurement_log, peaks_file as peaks_file, safe_name as
    safe_name, samples_file as samples_file, sweep_deleted as sweep_deleted, timing_file as
    timing_file, trace_file as trace_file, worker_request as worker_request,
)
from turnkeyml.cache.locks import (
    FileLock as FileLock, LockOrderError as LockOrderError, LockTimeout as LockTimeout, Rank as
    Rank, Turn as Turn, limit_waits as limit_waits, name_process as name_process, teller as teller,
    thread_lock as thread_lock,
)
from turnkeyml.cache.plain_yaml import parse as parse
from turnkeyml.cache.runs import (
    RunFolder as RunFolder, SlurmRunFolder as SlurmRunFolder, input_log as input_log, journal_file
    as journal_file, journal_folder as journal_folder, slurm_lock as slurm_lock, slurm_run_folders
    as slurm_run_folders,
)
from turnkeyml.cache.state import (
    ABANDONED as ABANDONED, BuildState as BuildState, PhaseEnd as PhaseEnd, load_state as
    load_state, read_state as read_state, state_damage as state_damage, write_state as write_state,
)
from turnkeyml.cache.stats import (
    WORKING as WORKING, Work as Work, add_evaluation as add_evaluation, begin_work as begin_work,
    close_work as close_work, damages as damages, end_held_work as end_held_work, end_work as
    end_work, evaluations_in as evaluations_in, load_labels as load_labels, read_history as
    read_history, read_stats as read_stats, record_build as record_build, reinstate_evaluations as
    reinstate_evaluations, retire_evaluations as retire_evaluations, update_invocation as
    update_invocation, update_stats as update_stats,
)
from turnkeyml.cache.summary_index import (
    BuildSummary as BuildSummary, EvaluationSummary as EvaluationSummary, Progress as Progress,
    disk_bytes as disk_bytes, read_summary as read_summary, summaries as summaries,
)
