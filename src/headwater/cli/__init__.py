"""Job: words in a terminal: parse arguments, call the service, print.
In: argv and the environment. Out: data on stdout, everything else on stderr, an exit code.
Never: decides anything that another surface would have to decide again.
"""
