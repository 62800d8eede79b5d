package io.rxe.tools;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands in {@code rxe help}, by what they are for: each is in one group. */
enum CommandGroup {
    USE("Try the NIC, and run programs on it:", "loopback", "run", "env"),
    LOOK("Look:", "stat", "dump", "devinfo"),
    WORK_ALIKES("Instead of the stock program of that name, where it is not installed:", "rc_pingpong", "uc_pingpong", "ud_pingpong",
        "srq_pingpong", "rping", "ib_send_bw", "ib_send_lat", "ib_write_bw", "ib_write_lat", "ib_read_bw", "ib_read_lat"),
    ABOUT("About rxe:", "help", "version", "completion");

    private static final int NAME_COLUMNS = 16;
    private static final int INDENT = 2;

    private final String title;
    private final List<String> commands;

    CommandGroup(String title, String... commands) {
        this.title = title;
        this.commands = List.of(commands);
    }

    /** The list for the help of {@code rxe}; empty for the help of one command. */
    static String list(Help help) {
        Map<String, Help> known = help.subcommands();
        StringBuilder text = new StringBuilder(1024);
        for (CommandGroup group : values()) {
            TextTable table = TextTable.forColumns(help.colorScheme(), new Column(NAME_COLUMNS, INDENT, Column.Overflow.SPAN),
                new Column(help.commandSpec().usageMessage().width() - NAME_COLUMNS, 0, Column.Overflow.WRAP));
            group.commands.stream().filter(known::containsKey)
                .forEach(name -> table.addRowValues(name, summary(known.get(name).commandSpec().usageMessage())));
            if (!known.isEmpty()) {
                text.append(group.title).append(System.lineSeparator()).append(table);
            }
        }
        return text.toString();
    }

    private static String summary(UsageMessageSpec usage) {
        return usage.header().length > 0 ? usage.header()[0] : usage.description()[0];
    }
}
