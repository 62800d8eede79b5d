package io.rxe.net.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.NetworkInterface;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkWatchTest {
    @TempDir
    Path interfaces;

    private final List<String> told = new ArrayList<>();

    private void listen(int port, boolean isUp, String name) {
        told.add(port + " " + name + (isUp ? " up" : " down"));
    }

    private void set(String name, String state) throws IOException {
        Files.createDirectories(interfaces.resolve(name));
        Files.writeString(interfaces.resolve(name).resolve("ifindex"), "7\n");
        Files.writeString(interfaces.resolve(name).resolve("operstate"), state + "\n");
    }

    @Test
    @DisplayName("each change is reported once, and so is a port that is down at first")
    void changesAreToldOnce() throws IOException {
        set("eth0", "up");
        set("eth1", "lowerlayerdown");
        try (LinkWatch watch = new LinkWatch(interfaces, this::listen)) {
            watch.add(1, "eth0", 7);
            watch.add(2, "eth1", 7);
            assertTrue(watch.look());
            assertFalse(watch.look());
            assertEquals(List.of("2 eth1 down"), told);
            set("eth0", "down");
            set("eth1", "unknown");
            watch.look();
            watch.look();
            assertEquals(List.of("2 eth1 down", "1 eth0 down", "2 eth1 up"), told);
        }
    }

    @Test
    @DisplayName("an interface that another namespace's /sys shows under the name, or none, is not watched")
    void otherInterfacesAreLeftAlone() throws IOException {
        set("eth0", "down");
        try (LinkWatch watch = new LinkWatch(interfaces, this::listen)) {
            watch.add(1, "eth0", 8);
            watch.add(2, "eth1", 7);
            watch.look();
            assertEquals(List.of(), told);
        }
    }

    private long zipsOpen() throws IOException {
        try (Stream<Path> files = Files.list(interfaces)) {
            return files.filter(file -> file.getFileName().toString().startsWith("zipfstmp")).count();
        }
    }

    @Test
    @DisplayName("close goes on where closing one descriptor has thrown")
    void closeGoesOn() throws IOException {
        set("eth0", "up");
        set("eth1", "up");
        // A file in it is read from a copy beside it, which its close deletes; it throws where there is none.
        try (FileSystem zip = FileSystems.newFileSystem(interfaces.resolve("interfaces.zip"), Map.of("create", "true"))) {
            for (String name : List.of("eth0", "eth1")) {
                Files.createDirectory(zip.getPath("/" + name));
                for (String file : List.of("ifindex", "operstate")) {
                    Files.copy(interfaces.resolve(name).resolve(file), zip.getPath("/" + name, file));
                }
            }
        }
        try (FileSystem zip = FileSystems.newFileSystem(interfaces.resolve("interfaces.zip"))) {
            LinkWatch watch = new LinkWatch(zip.getPath("/"), this::listen);
            watch.add(1, "eth0", 7);
            try (Stream<Path> files = Files.list(interfaces)) {
                Files.delete(files.filter(file -> file.getFileName().toString().startsWith("zipfstmp")).findAny().orElseThrow());
            }
            watch.add(2, "eth1", 7);
            assertEquals(1, zipsOpen());
            assertThrows(UncheckedIOException.class, watch::close);
            assertEquals(0, zipsOpen());
        }
    }

    @Test
    @DisplayName("the loopback interface is up")
    void loopbackIsUp() throws IOException {
        try (LinkWatch watch = new LinkWatch(this::listen)) {
            watch.add(1, "lo", NetworkInterface.getByName("lo").getIndex());
            watch.look();
            assertEquals(List.of(), told);
        }
    }
}
