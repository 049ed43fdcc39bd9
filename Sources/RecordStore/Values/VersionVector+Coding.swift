/// Bytes of a version vector inside a transaction: count · each in order of replica: replica u64,
/// sequence (variable), stamp time u64, counter u16.
extension VersionVector {
  var encodedByteCount: Int {
    entries.reduce(VariableLength.byteCount(UInt64(entries.count))) {
      $0 + 18 + VariableLength.byteCount($1.value.sequence)
    }
  }
}

extension VersionVector {
  /// Mostly a store is on one device, and its save makes no array to sort.
  fileprivate func forEachInOrder(_ body: (ReplicaID, Entry) -> Void) {
    if let only = entries.first, entries.count == 1 { return body(only.key, only.value) }
    for (replica, entry) in entries.sorted(by: { $0.key < $1.key }) { body(replica, entry) }
  }
}

// In entries of one size, where some are looked up by their places.
extension VersionVector {
  /// Replica u64, sequence u64, stamp time u64, counter u16.
  static let entryByteCount = 26
}

extension ByteWriter {
  /// Writes the entries in order of replica, each in ``VersionVector/entryByteCount`` bytes.
  mutating func writeEntries(of vector: VersionVector) {
    vector.forEachInOrder { replica, entry in
      write(replica.value)
      write(entry.sequence)
      write(entry.stamp.time)
      write(entry.stamp.counter)
    }
  }

  mutating func write(_ vector: VersionVector) {
    writeVariable(vector.entries.count)
    vector.forEachInOrder { replica, entry in
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
