package import RecordStore

extension Stamp {
  /// `<epoch>-<wall milliseconds>-<counter>-<replica>`, such as `0-1795250000000-0-00f1e2d3c4b5a697`.
  package var text: String { "\(epoch)-\(wallMilliseconds)-\(counter)-\(replica)" }

  package init?(text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, let epoch = UInt16(parts[0]), let wall = UInt64(parts[1]),
      wall <= Stamp.maximumWallMilliseconds, let counter = UInt16(parts[2]), let replica = ReplicaID(String(parts[3]))
    else { return nil }
    self.init(epoch: epoch, wallMilliseconds: wall, counter: counter, replica: replica)
  }
}

extension VersionVector {
  /// `{"<replica>":{"sequence":…,"stamp":"…"}}`, replicas rising.
  package var json: JSON {
    .object(
      entries.sorted { $0.key < $1.key }.map { replica, entry in
        .init(replica.description, ["sequence": .integer(entry.sequence), "stamp": .string(entry.stamp.text)])
      })
  }

  package init?(json: JSON) {
    guard case .object(let members) = json else { return nil }
    self.init()
    for member in members {
      guard let replica = ReplicaID(member.name),
        let sequence = member.value["sequence"]?.integerValue(as: UInt64.self), sequence <= Dot.greatestSequence,
        let stamp = member.value["stamp"]?.stringValue.flatMap({ Stamp(text: $0) })
      else { return nil }
      entries[replica] = Entry(sequence: sequence, stamp: stamp)
    }
  }
}
