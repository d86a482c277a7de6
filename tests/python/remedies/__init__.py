"""The lines to type that errors name: wrong code, what the error says, and the code that follows it, with its rows.

Each case has the places whose lines it follows: a file and the calls named in it. `code_in_errors` finds all of
them in the sources; `NOT_RUN` says which are followed elsewhere, or by no test, and why.
"""

from remedies import (
    of_aggregates,
    of_changes,
    of_declarations,
    of_functions,
    of_inputs,
    of_joins,
    of_processes,
    of_times,
    of_watermarks,
)
from remedies.case import Data
from remedies.sources import NOT_RUN, code_in_errors

REMEDIES = (
    of_inputs.CASES
    + of_aggregates.CASES
    + of_changes.CASES
    + of_functions.CASES
    + of_joins.CASES
    + of_processes.CASES
    + of_declarations.CASES
    + of_times.CASES
    + of_watermarks.CASES
)

__all__ = ["NOT_RUN", "REMEDIES", "Data", "code_in_errors"]
