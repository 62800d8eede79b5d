# Runs $SCRIPT of a suite in peer $RXE_PEER of tools/kernel-peer, where RXE leaves out "run" and the address of the NIC. The peer sees this
# host's files, and what it writes is lost.
exec "${RXE%rxe}kernel-peer" run -p "$RXE_PEER" env FILTER="$FILTER" RXE=/tmp/rxe RXE_PEER="$RXE_PEER" sh -ec '
    printf "#!/bin/sh\nshift; [ \"\$1\" != --dev ] || shift 2; exec \"\$@\"\n" >/tmp/rxe
    chmod +x /tmp/rxe
    # For the path MTU that our NIC has, 4096.
    ip link set eth0 mtu 4200
    ln -sfn "$0/dev" /tmp/dev
    cd "$1" || { echo "peer $RXE_PEER does not see $1: give --from a folder that is not below /root, /home or /tmp"; exit 125; }
    eval "$2"' "${RXE%/rxe}" "$PWD" "$SCRIPT"
