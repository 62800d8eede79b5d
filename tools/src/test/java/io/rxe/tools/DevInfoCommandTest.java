package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.VersionText;
import org.junit.jupiter.api.Test;

class DevInfoCommandTest {
    @Test
    void printsTheFormatOfLibibverbs() {
        Run run = Run.of("devinfo", "-d", "127.0.0.1", "--port", Integer.toString(FreePorts.udp("127.0.0.1")));
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        assertEquals("""
            hca_id:\trxe_lo
            \ttransport:\t\t\tInfiniBand (0)
            \tfw_ver:\t\t\t\t%s
            \tnode_guid:\t\t\t0252:5845:7f00:0001
            \tsys_image_guid:\t\t\t0252:5845:7f00:0001
            \tvendor_id:\t\t\t0xffffff
            \tvendor_part_id:\t\t\t0
            \thw_ver:\t\t\t\t0x0
            \tphys_port_cnt:\t\t\t1
            \t\tport:\t1
            \t\t\tstate:\t\t\tPORT_ACTIVE (4)
            \t\t\tmax_mtu:\t\t4096 (5)
            \t\t\tactive_mtu:\t\t4096 (5)
            \t\t\tsm_lid:\t\t\t0
            \t\t\tport_lid:\t\t0
            \t\t\tport_lmc:\t\t0x00
            \t\t\tlink_layer:\t\tEthernet

            """.formatted(VersionText.number()), run.out());
    }

    @Test
    void showsLimitsAndGidWhenVerbose() {
        Run run = Run.of("devinfo", "-v", "-d", "::1", "--port", Integer.toString(FreePorts.udp("::1")));
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        assertTrue(run.out().contains("\tmax_sge:\t\t\t32\n"), run.out());
        assertTrue(run.out().contains("\t\t\tGID[  0]:\t\t::1, RoCE v2\n\t\t\tGID[  1]:\t\t::1, RoCE v2\n"), run.out());
        for (String line : new String[] {"max_inline_data:4096", "max_mr:8388608 (with the memory windows)", "max_fast_reg_buffers:512",
            "max_xrc_srq:8388608", "max_ports:16", "gid_tbl_len:2", "pkey_tbl_len:1",
            "P_Key[  0]:0xffff", "max_pkeys:1"}) {
            assertTrue(run.out().replace("\t", "").lines().anyMatch(line::equals), line + " in\n" + run.out());
        }
    }

    @Test
    void showsSocketPropertiesWhenVerbose() {
        Run run = Run.of("devinfo", "-v", "--gso", "off", "--gro", "off", "--engines", "2", "--pkeys", "0xffff,0x8001", "--cc",
            "dcqcn,rpg_ai_rate=20,rpg_hai_rate=50", "--port",
            Integer.toString(FreePorts.udp("127.0.0.1")));
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        for (String line : new String[] {"gso:no", "gro:no", "engines:2", "active_mtu:4096 (5)",
            "pkey_tbl_len:2", "P_Key[  1]:0x8001", "max_pkeys:2", "congestion_control:dcqcn,rpg_ai_rate=20mbit"}) {
            assertTrue(run.out().replace("\t", "").lines().anyMatch(line::equals), line + " in\n" + run.out());
        }
        assertTrue(run.out().matches("(?s).*receive_buffer:\\s+[1-9][0-9]{4,} bytes.*"), run.out());
        assertTrue(run.out().matches("(?s).*interface:\\s+lo, MTU [0-9]+\n.*"), run.out());
        assertTrue(run.out().matches("(?s).*counter_file:\\s+/.*/rxe-[0-9]+/[0-9]+\\.counters\n.*"), run.out());
    }

    /** Rule M1: each address is a port. */
    @Test
    void eachAddressIsAPort() {
        Run run = Run.of("devinfo", "-v", "-i", "2", "-d", "127.0.1.1,127.0.2.1", "--port",
            Integer.toString(FreePorts.udp("127.0.1.1", "127.0.2.1")));
        assertEquals(ExitStatus.OK, run.status(), run.err());
        assertTrue(run.out().contains("phys_port_cnt:\t\t\t2\n"), run.out());
        assertTrue(run.out().contains("\t\tport:\t2\n"), run.out());
        assertTrue(run.out().contains("GID[  0]:\t\t::ffff:127.0.2.1, RoCE v2"), run.out());
        Run beyond = Run.of("devinfo", "-i", "3", "-d", "127.0.1.1,127.0.2.1");
        assertTrue(beyond.err().contains("port 3 does not exist: the device has 2, numbers 1 to 2"), beyond.err());
    }
}
