/** What a test is asked to do, as values that check their ranges: which test, how many messages, through which queues, over which path. */
package io.rxe.tools.perftest.plan;
