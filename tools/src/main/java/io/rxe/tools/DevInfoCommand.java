package io.rxe.tools;

import io.rxe.net.RxeNic;
import io.rxe.net.SocketInfo;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.UdpPortAlias;
import io.rxe.tools.cli.VersionText;
import io.rxe.verbs.Device;
import io.rxe.verbs.DeviceAttributes;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.PortAttributes;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rxe devinfo}: describes the NIC in the format of {@code ibv_devinfo}. */
@Command(name = "devinfo", mixinStandardHelpOptions = true, versionProvider = VersionText.class, sortOptions = false,
    description = "Describe the NIC at an address in the format of ibv_devinfo; with -v its limits too.")
public final class DevInfoCommand implements Callable<Integer> {
    private static final int VENDOR_ID = 0xFFFFFF;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nic;

    @Mixin
    private UdpPortAlias port;

    @Option(names = {"-i", "--ib-port"}, paramLabel = "PORT", defaultValue = "1",
        description = "Port of the device that must exist: 1, or up to the number of addresses that -d names.")
    private int devicePort;

    @Option(names = {"-l", "--list"}, description = "Print only the name of the device.")
    private boolean list;

    @Override
    public Integer call() {
        int ports = nic.address().split(",", -1).length;
        if (devicePort < 1 || devicePort > ports) {
            throw new ParameterException(spec.commandLine(), "port " + devicePort + " does not exist: the device has "
                + (ports == 1 ? "one, number 1" : ports + ", numbers 1 to " + ports));
        }
        port.applyTo(nic);
        try (RxeNic opened = nic.open(spec.commandLine().getErr())) {
            PrintWriter out = spec.commandLine().getOut();
            String name = "rxe_" + opened.localInterface().name();
            if (list) {
                out.print("1 HCA found:\n\t" + name + "\n\n");
            } else {
                out.print(describe(name, opened, nic.isVerbose()));
            }
            out.flush();
        }
        return ExitStatus.OK;
    }

    /** The whole output. */
    static String describe(String name, RxeNic nic, boolean verbose) {
        Device device = nic.device();
        StringBuilder text = new StringBuilder(1024);
        text.append("hca_id:\t").append(name).append('\n');
        field(text, 1, "transport:", "InfiniBand (0)");
        field(text, 1, "fw_ver:", VersionText.number());
        field(text, 1, "node_guid:", guidText(device.guid()));
        field(text, 1, "sys_image_guid:", guidText(device.guid()));
        field(text, 1, "vendor_id:", String.format("0x%06x", VENDOR_ID));
        field(text, 1, "vendor_part_id:", "0");
        field(text, 1, "hw_ver:", "0x0");
        field(text, 1, "phys_port_cnt:", Integer.toString(device.ports()));
        if (verbose) {
            limits(text, device.attributes(), device.partitionKeys().size());
        }
        for (int number = 1; number <= device.ports(); number++) {
            port(text, number, nic, verbose);
        }
        return text.append('\n').toString();
    }

    private static void port(StringBuilder text, int number, RxeNic nic, boolean verbose) {
        Device device = nic.device();
        PortAttributes port = device.port(number);
        text.append("\t\tport:\t").append(number).append('\n');
        field(text, 3, "state:", port.active() ? "PORT_ACTIVE (4)" : "PORT_DOWN (1)");
        field(text, 3, "max_mtu:", mtu(port.maxMtu()));
        field(text, 3, "active_mtu:", mtu(port.activeMtu()));
        field(text, 3, "sm_lid:", "0");
        field(text, 3, "port_lid:", "0");
        field(text, 3, "port_lmc:", "0x00");
        field(text, 3, "link_layer:", "Ethernet");
        if (verbose) {
            field(text, 3, "max_msg_sz:", "0x" + Long.toHexString(port.maxMessageBytes()));
            field(text, 3, "pkey_tbl_len:", Integer.toString(port.partitionKeys().size()));
            for (int index = 0; index < port.partitionKeys().size(); index++) {
                field(text, 3, String.format("P_Key[%3d]:", index), PartitionKeys.text(port.partitionKeys().get(index)));
            }
            field(text, 3, "gid_tbl_len:", Integer.toString(port.gids().size()));
            for (int index = 0; index < port.gids().size(); index++) {
                text.append(String.format("\t\t\tGID[%3d]:\t\t%s, RoCE v2\n", index, port.gids().get(index)));
            }
            field(text, 3, "udp_port:", Integer.toString(device.udpPort()));
            sockets(text, nic);
        }
    }

    /** Properties of the sockets, which libibverbs does not have. */
    private static void sockets(StringBuilder text, RxeNic nic) {
        SocketInfo info = nic.socketInfo();
        field(text, 3, "interface:", nic.localInterface().name() + ", MTU " + nic.localInterface().mtuBytes());
        field(text, 3, "receive_buffer:", info.receiveBufferBytes() + " bytes (net.core.rmem_max bounds it)");
        field(text, 3, "send_buffer:", info.sendBufferBytes() + " bytes (net.core.wmem_max bounds it)");
        field(text, 3, "gso:", info.segmenting() ? "yes (UDP_SEGMENT)" : "no");
        field(text, 3, "gro:", info.coalescing() ? "yes (UDP_GRO)" : "no");
        field(text, 3, "congestion_control:", nic.core().congestion().toString());
        field(text, 3, "counter_file:", info.counterFile() == null ? "none" : info.counterFile().toString());
    }

    private static void limits(StringBuilder text, DeviceAttributes limits, int partitionKeys) {
        field(text, 1, "max_qp:", Integer.toString(limits.maxQueuePairs()));
        field(text, 1, "max_qp_wr:", Integer.toString(limits.maxQueueRequests()));
        field(text, 1, "max_sge:", Integer.toString(limits.maxElements()));
        field(text, 1, "max_inline_data:", Integer.toString(limits.maxInlineBytes()));
        field(text, 1, "max_cqe:", Integer.toString(limits.maxCompletions()));
        field(text, 1, "max_mr:", limits.maxMemoryKeys() + " (with the memory windows)");
        field(text, 1, "max_mw:", limits.maxMemoryKeys() + " (with the memory regions; types 1 and 2B)");
        field(text, 1, "max_fast_reg_buffers:", Integer.toString(limits.maxMappedBuffers()));
        field(text, 1, "max_qp_rd_atom:", Integer.toString(limits.maxReadAtomicResponder()));
        field(text, 1, "max_qp_init_rd_atom:", Integer.toString(limits.maxReadAtomicInitiator()));
        field(text, 1, "max_srq_wr:", Integer.toString(limits.maxQueueRequests()));
        field(text, 1, "max_srq_sge:", Integer.toString(limits.maxElements()));
        field(text, 1, "max_xrc_srq:", Integer.toString(limits.maxXrcReceiveQueues()));
        field(text, 1, "max_ports:", Integer.toString(limits.maxPorts()));
        field(text, 1, "atomic_cap:", "ATOMIC_HCA (1)");
        field(text, 1, "xrc:", "yes (XRC_SEND, XRC_RECV, shared receive queues by number)");
        field(text, 1, "end_to_end_credits:", "yes (RC without a shared receive queue)");
        field(text, 1, "completion_timestamps:", "yes (ns since the device was opened, and since 1970)");
        field(text, 1, "max_pkeys:", Integer.toString(partitionKeys));
        field(text, 1, "local_ca_ack_delay:", Integer.toString(limits.localAckDelayCode()));
        field(text, 1, "engines:", Integer.toString(limits.engines()));
    }

    // Pads with tabs, so that all values start in the same column.
    private static void field(StringBuilder text, int depth, String name, String value) {
        int column = depth * 8 + name.length();
        int valueColumn = depth == 1 ? 40 : 48;
        text.append("\t".repeat(depth)).append(name);
        for (int at = column; at < valueColumn; at = (at / 8 + 1) * 8) {
            text.append('\t');
        }
        text.append(value).append('\n');
    }

    private static String mtu(PathMtu mtu) {
        return mtu.bytes() + " (" + mtu.code() + ")";
    }

    private static String guidText(long guid) {
        String digits = String.format("%016x", guid);
        return digits.substring(0, 4) + ":" + digits.substring(4, 8) + ":" + digits.substring(8, 12) + ":" + digits.substring(12);
    }

}
