package io.rxe.qp;

import io.rxe.port.EcnOptions;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.util.List;

/**
 * The ports of a NIC as its queue pairs need to know them.
 *
 * @param gids          addresses of the local ports; index 0 is port 1.
 * @param udpPort       UDP port that packets leave from.
 * @param portMtu       largest path MTU the ports carry.
 * @param pathBytes     most bytes that one queue pair may have in flight on any path.
 * @param partitionKeys the P_Key table of every port.
 * @param ecn           whether packets may be marked, and peers are notified of marks.
 * @param congestion    which congestion controller queue pairs have that did not choose one.
 */
public record PortSettings(List<Gid> gids, int udpPort, PathMtu portMtu, long pathBytes, PartitionKeys partitionKeys, EcnOptions ecn,
                           CongestionOptions congestion) {
}
