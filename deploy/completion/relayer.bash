# Completion of `relayer` for bash. Installed as share/bash-completion/completions/relayer; from the tree:
# `. deploy/completion/relayer.bash`. The options come from the program itself.
_relayer() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  case $previous in
    --config | --prove-with | --import-config)
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      compopt -o filenames 2>/dev/null
      return
      ;;
    --port) return ;;
  esac
  local options
  options=$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
  mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
}
complete -F _relayer relayer
