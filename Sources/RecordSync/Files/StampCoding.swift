import RecordStore

extension FileWriter {
  mutating func put(_ stamp: Stamp) {
    put(stamp.time)
    put(stamp.counter)
    put(stamp.replica.value)
  }

  mutating func put(_ id: RecordID) {
    put(id.high)
    put(id.low)
  }

  /// Replicas in rising order, so that equal vectors give equal bytes.
  mutating func put(_ vector: VersionVector) {
    put(UInt32(vector.entries.count))
    for (replica, entry) in vector.entries.sorted(by: { $0.key < $1.key }) {
      put(replica.value)
      put(entry.sequence)
      put(entry.stamp)
    }
  }
}

extension FileReader {
  mutating func stamp() throws -> Stamp {
    Stamp(time: try integer(), counter: try integer(), replica: ReplicaID(try integer()))
  }

  /// The place of a transaction in a stream, or 0 for none.
  mutating func sequence() throws -> UInt64 {
    let sequence: UInt64 = try integer()
    guard sequence <= Dot.greatestSequence else { throw damage }
    return sequence
  }

  mutating func recordID() throws -> RecordID { RecordID(high: try integer(), low: try integer()) }

  mutating func versionVector() throws -> VersionVector {
    let count = Int(try integer(UInt32.self))
    let entryBytes = 16 + Stamp.byteCount
    guard count <= remaining / entryBytes else { throw damage }
    var vector = VersionVector()
    vector.entries.reserveCapacity(count)
    for _ in 0..<count {
      let replica = ReplicaID(try integer())
      vector.entries[replica] = VersionVector.Entry(sequence: try sequence(), stamp: try stamp())
    }
    return vector
  }
}
