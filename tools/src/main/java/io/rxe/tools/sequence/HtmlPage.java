package io.rxe.tools.sequence;

import io.rxe.tools.flow.ConnectionView;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A page in one file that zooms the picture, filters it, and names the packet under the pointer. */
final class HtmlPage {
    private static final int DIGITS = 2;

    private final StringBuilder data = new StringBuilder();
    private final Map<String, Integer> names = new LinkedHashMap<>();

    /** A file that belongs to this package. */
    static String resource(String name) {
        try (InputStream in = HtmlPage.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param text the tables that are printed too. */
    String draw(String title, List<ConnectionSequence> connections, int marksOfKind, String text) {
        String svg = new SvgPicture(DIGITS, marksOfKind, this::pointer).draw(connections, "");
        StringBuilder page = new StringBuilder(svg.length() + data.length() + (1 << 16));
        page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>").append(SvgPicture.escape(title))
            .append("</title>\n<meta name=\"color-scheme\" content=\"light dark\">\n<style>\n").append(resource("picture.css"))
            .append(resource("page.css")).append("</style></head>\n<body>\n<h1>").append(SvgPicture.escape(title)).append("</h1>\n")
            .append("<form id=\"filter\">");
        for (int i = 0; i < connections.size(); i++) {
            ConnectionView.Ends ends = connections.get(i).ends();
            page.append("<label><input type=\"checkbox\" checked data-connection=\"").append(i).append("\"> ")
                .append(SvgPicture.escape(ends.leftName() + "  <->  " + ends.rightName())).append("</label>\n");
        }
        page.append("<button type=\"button\" id=\"reset\">whole time</button> <span>Wheel: zoom the time, with Shift the PSNs. Drag: zoom"
            + " into a part. Click an entry of the legend: hide or show it.</span></form>\n").append(svg)
            .append("<div id=\"tip\" hidden></div>\n<pre>").append(SvgPicture.escape(text)).append("</pre>\n<script>\nconst names = [");
        names.keySet().forEach(name -> page.append('"').append(name.replace("\\", "").replace("\"", "'")).append("\","));
        page.append("];\nconst marks = {\n").append(data).append("};\n").append(resource("page.js")).append("</script>\n</body></html>\n");
        return page.toString();
    }

    /** Frame, number of packets, opcode and PSN of each mark; a number for each, to save space. */
    private void pointer(int path, Kind kind, MarkSeries marks) {
        List<String> values = new ArrayList<>();
        for (MarkSeries.Mark mark : marks.all()) {
            String frame = mark.frame().contains("/") ? "\"" + mark.frame() + "\"" : mark.frame();
            String name = mark.name() == null ? kind.label() : mark.name();
            Integer index = names.computeIfAbsent(name, one -> names.size());
            values.add(frame + "," + mark.count() + "," + index + "," + mark.psn());
        }
        data.append(path).append(":{label:\"").append(kind.label()).append("\",rule:\"").append(kind.rule()).append("\",data:[")
            .append(String.join(",", values)).append("]},\n");
    }
}
