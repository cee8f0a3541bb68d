#!/usr/bin/env bash
# Tries what was deployed: smoke.sh OUTPUTS.json ACCOUNT REGION
#
#   every door is ready and serves the image that was planned, by digest
#   the front turns away a caller without a token
#   the front gives its card to ACCOUNT
#
# OUTPUTS.json is what `terraform output -json` wrote. The caller must be allowed to make tokens for
# ACCOUNT (roles/iam.serviceAccountOpenIdTokenCreator), and ACCOUNT to call the front.
set -euo pipefail

outputs=$1 account=$2 region=$3
card_path=/.well-known/agent-card.json # not /healthz: Cloud Run keeps that to itself outside

read_output() {
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]]["value"])' "$outputs" "$1"
}
service_names() {
  python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["services"]["value"].values())' "$outputs"
}
fail() {
  echo "smoke test: $1" >&2
  exit 1
}

image=$(read_output image)
front=$(read_output front_url)

for service in $(service_names); do
  ready=$(gcloud run services describe "$service" --region="$region" \
    --format='value(status.conditions[0].status)')
  serving=$(gcloud run services describe "$service" --region="$region" \
    --format='value(spec.template.spec.containers[0].image)')
  [ "$ready" = True ] || fail "$service is not ready ($ready). Its revision's logs say why."
  [ "$serving" = "$image" ] || fail "$service serves $serving, not $image."
  echo "$service: ready, $image"
done

status=$(curl --silent --output /dev/null --write-out '%{http_code}' "$front$card_path")
case $status in
  401 | 403) echo "front without a token: $status" ;;
  *) fail "the front answered $status to a caller without a token; it must be 401 or 403." ;;
esac

token=$(curl --silent --fail --request POST \
  --header "Authorization: Bearer $(gcloud auth print-access-token)" \
  --header 'Content-Type: application/json' \
  --data "{\"audience\": \"$front\", \"includeEmail\": true}" \
  "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/$account:generateIdToken" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["token"])')

# A first instance may have to start.
card=$(curl --silent --show-error --fail --retry 5 --retry-all-errors --max-time 60 \
  --header "Authorization: Bearer $token" "$front$card_path")
echo "$card" | python3 -c 'import json, sys; card = json.load(sys.stdin); assert card["skills"]; print("front:", card["name"])' ||
  fail "what the front sent is no agent card with skills."
