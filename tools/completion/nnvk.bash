# Completes the command line of nnvk in bash. The program writes the script itself, so that both always agree.
source <(nnvk completion bash)
