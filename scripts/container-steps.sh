# shellcheck shell=bash
# deploy/Containerfile for who has no container engine: its steps, to be looked at or run one by one.

# container_steps STAGE WORD: what stands behind WORD in the first or second stage, a line each.
container_steps() {
  sed -e ':join' -e '/\\$/{N; s/\\\n *//; bjoin' -e '}' "$SOURCE/deploy/Containerfile" |
    awk -v stage="$1" -v word="$2" '
      $1 == "FROM" { n++ }
      n == stage && $1 == word { sub(/^[A-Z]+ +/, ""); print }'
}

# What it runs to see whether the server lives: the third word of `CMD ["bash", "-c", "..."]`.
container_health_check() { container_steps 2 HEALTHCHECK | sed -E 's/^.*"-c", "(.*)"\]$/\1/'; }
