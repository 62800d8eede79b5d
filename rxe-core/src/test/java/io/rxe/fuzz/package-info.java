/**
 * Targets for a coverage-guided fuzzer: each turns any bytes into inputs of one entry point and checks what must hold for all of them.
 *
 * <p>{@code tools/dev/fuzz} runs them under Jazzer; {@code mvn verify} replays the golden captures and the committed corpora
 * ({@code src/test/resources/fuzz}) through them. Nothing here depends on Jazzer.
 */
package io.rxe.fuzz;
