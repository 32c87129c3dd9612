# Completes the command line of nnvk in fish. The program writes the script itself, so that both always agree.
nnvk completion fish | source
