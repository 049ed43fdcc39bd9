/// Bytes of a version vector inside a transaction: count · each in order of replica: replica u64,
/// sequence (variable), stamp time u64, counter u16.
extension VersionVector {
  var encodedByteCount: Int {
    entries.reduce(VariableLength.byteCount(UInt64(entries.count))) {
      $0 + 18 + VariableLength.byteCount($1.value.sequence)
    }
  }
}

extension ByteWriter {
  mutating func write(_ vector: VersionVector) {
    writeVariable(vector.entries.count)
    for (replica, entry) in vector.entries.sorted(by: { $0.key < $1.key }) {
      write(replica.value)
      writeVariable(entry.sequence)
      write(entry.stamp.time)
      write(entry.stamp.counter)
    }
  }
}

extension ByteReader {
  mutating func readVersionVector() throws -> VersionVector {
    var vector = VersionVector()
    for _ in 0..<(try readCount(minimumSize: 19)) {
      let replica = ReplicaID(try read())
      let sequence = try readSequence()
      let stamp = Stamp(time: try read(), counter: try read(), replica: replica)
      vector.entries[replica] = VersionVector.Entry(sequence: sequence, stamp: stamp)
    }
    return vector
  }
}
