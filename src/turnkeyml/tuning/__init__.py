"""Finding the fastest configuration of a build that is still right.

``space`` says what there is to try, ``plan`` what to try next, ``wave`` races it against the best
so far, ``right`` decides what may win, and ``tuner`` puts them together.
"""
