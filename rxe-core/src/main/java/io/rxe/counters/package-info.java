/**
 * What is counted and how: one enum for each family of counters, and the cells they are counted in. Single writer (the engine thread),
 * ordered stores, readable by anyone at any time.
 */
package io.rxe.counters;
