import java.nio.ByteBuffer
import java.util.{Arrays, BitSet, SplittableRandom}
import org.apache.spark.{Partitioner, SparkConf, SparkContext}

/** Sorts records of 100 bytes by their first 10, as TeraSort does, and compares every byte. Arguments: MiB, partitions. */
object TeraSort {
  private val keyBytes = 10
  private val recordBytes = 100

  implicit val ordering: Ordering[Array[Byte]] = (a, b) => Arrays.compareUnsigned(a, b)

  class ByPrefix(val numPartitions: Int) extends Partitioner {
    override def getPartition(key: Any): Int = (ByteBuffer.wrap(key.asInstanceOf[Array[Byte]]).getShort & 0xffff) * numPartitions >> 16
  }

  /** Random bytes, which the index decides, and behind the key the index. */
  def record(index: Long): (Array[Byte], Array[Byte]) = {
    val random = new SplittableRandom(index)
    val bytes = ByteBuffer.allocate(recordBytes)
    while (bytes.remaining >= 8) bytes.putLong(random.nextLong())
    bytes.putLong(keyBytes, index)
    (Arrays.copyOf(bytes.array, keyBytes), Arrays.copyOfRange(bytes.array, keyBytes, recordBytes))
  }

  /** The indexes of a partition, each once. */
  def indexes(partition: Int, records: Iterator[(Array[Byte], Array[Byte])], partitioner: Partitioner): Iterator[BitSet] = {
    val found = new BitSet
    var last = Array.emptyByteArray
    for ((key, value) <- records) {
      val index = ByteBuffer.wrap(value).getLong
      val (expectedKey, expectedValue) = record(index)
      require(Arrays.equals(key, expectedKey) && Arrays.equals(value, expectedValue), s"record $index has other bytes")
      require(partitioner.getPartition(key) == partition && ordering.compare(last, key) <= 0, s"record $index is in a wrong place")
      require(!found.get(index.toInt), s"record $index came twice")
      found.set(index.toInt)
      last = key
    }
    Iterator(found)
  }

  def main(arguments: Array[String]): Unit = {
    val Array(mebibytes, partitions) = arguments.map(_.toInt)
    val records = (mebibytes.toLong << 20) / recordBytes
    val partitioner = new ByPrefix(partitions)
    val spark = new SparkContext(new SparkConf)
    spark.setLogLevel("WARN")
    val started = System.nanoTime
    val all = spark.range(0, records, 1, partitions).map(record).repartitionAndSortWithinPartitions(partitioner)
      .mapPartitionsWithIndex((partition, sorted) => indexes(partition, sorted, partitioner))
      .reduce((a, b) => { require(!a.intersects(b), "a record is in two partitions"); a.or(b); a })
    require(all.cardinality == records, s"${records - all.cardinality} of $records records are missing")
    println(f"$mebibytes MiB sorted in ${(System.nanoTime - started) / 1e9}%.1f s, all right")
    spark.stop()
  }
}
