# Written by .ci/doors from the table in __init__.py.
from turnkeyml.system.activity import (
    Activity as Activity, OwnLoad as OwnLoad, Reading as Reading, Usage as Usage,
    has_running_threads as has_running_threads, note_leftovers as note_leftovers, read_activity as
    read_activity, read_leftovers as read_leftovers,
)
from turnkeyml.system.hosts import (
    Connection as Connection, SSH_FAILED as SSH_FAILED, examine_on as examine_on,
)
from turnkeyml.system.interpreters import (
    Interpreter as Interpreter, Standby as Standby, keeping_standby as keeping_standby,
    kept_standby as kept_standby, take_standby as take_standby,
)
from turnkeyml.system.machine import (
    GpuInfo as GpuInfo, allowed_processors as allowed_processors, cpu_name as cpu_name, cpu_quota
    as cpu_quota, find_gpus as find_gpus, frequency_mhz as frequency_mhz, governor as governor,
    last_cache_bytes as last_cache_bytes, load_average as load_average, total_memory_bytes as
    total_memory_bytes, usable_cores as usable_cores,
)
from turnkeyml.system.process_tree import (
    TreeMemory as TreeMemory, children as children, descendants as descendants, is_running as
    is_running, is_stopped as is_stopped, out_of_memory_kills as out_of_memory_kills,
    processes_with_variable as processes_with_variable, start_time as start_time,
)
from turnkeyml.system.remote_bootstrap import MARK as MARK
from turnkeyml.system.this_process import (
    GET_TIMER_SLACK as GET_TIMER_SLACK, captured as captured, memory_bytes as memory_bytes,
    peak_memory_bytes as peak_memory_bytes, punctual as punctual, reset_peak_memory as
    reset_peak_memory,
)
