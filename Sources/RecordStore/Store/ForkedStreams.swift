import LMDB

/// Streams that several stores wrote under one replica id, and which of their transactions belongs to which branch.
///
/// Within one stream a later transaction knew the earlier ones; across branches it did not. Entries of table
/// `attachments`: `fork/`, the stream's id and the branch's id, most significant byte first; the value is a format
/// byte, 1, and the stamp (18) of the last transaction that the branches share. The branch's
/// transactions are those of the stream of its own id, with its own times. A store that began with a snapshot has not
/// got those: for each of them the snapshot brings an entry `moment/`, stream, branch, time u64 and counter u16, most
/// significant byte first, without a value.
package struct ForkedStreams: Hashable, Sendable {
  package static let prefix = [UInt8]("fork/".utf8)
  package static let momentPrefix = [UInt8]("moment/".utf8)

  /// What of a stamp is the same under the stream's id and the branch's.
  private struct Moment: Hashable, Comparable {
    let time: UInt64
    let counter: UInt16
    init(_ stamp: Stamp) { (time, counter) = (stamp.time, stamp.counter) }
    init(time: UInt64, counter: UInt16) { (self.time, self.counter) = (time, counter) }
    static func < (left: Moment, right: Moment) -> Bool { (left.time, left.counter) < (right.time, right.counter) }
  }

  /// By stream: the last moment that its branches share.
  private var shared: [ReplicaID: Moment] = [:]
  /// By stream and branch.
  private var branches: [ReplicaID: [ReplicaID: Set<Moment>]] = [:]

  package var isEmpty: Bool { branches.isEmpty }

  package static func attachment(
    stream: ReplicaID, branch: ReplicaID, lastShared: Stamp
  ) -> SaveRequest.Attachment {
    var key = prefix
    key.append(bigEndian: stream.value)
    key.append(bigEndian: branch.value)
    let value = [UInt8](byteCount: 1 + Stamp.byteCount) { writer in
      writer.write(1 as UInt8)
      writer.write(lastShared)
    }
    return SaveRequest.Attachment(key: key, value: value)
  }

  /// Reads nothing but one empty range where no stream is forked.
  init(_ view: TransactionView, _ layout: StoreLayout) throws {
    var names: [(stream: ReplicaID, branch: ReplicaID)] = []
    try view.forEachKey(in: layout.databases.attachments, startingWith: ForkedStreams.prefix) { key, value in
      let start = ForkedStreams.prefix.count
      guard key.count == start + 16, value.count == 1 + Stamp.byteCount else { return }
      let stream = ReplicaID(key.load(at: start, as: UInt64.self).byteSwapped)
      let moment = Moment(Stamp(encoded: value, at: 1))
      shared[stream] = shared[stream].map { min($0, moment) } ?? moment
      names.append((stream, ReplicaID(key.load(at: start + 8, as: UInt64.self).byteSwapped)))
    }
    for (stream, branch) in names {
      var prefix: [UInt8] = []
      prefix.append(bigEndian: branch.value)
      var moments: Set<Moment> = []
      try view.forEachKey(in: layout.databases.dots, startingWith: prefix) { _, value in
        moments.insert(Moment(Stamp(encoded: value, at: 8)))
      }
      let key = ForkedStreams.momentKey(stream, branch)
      try view.forEachKey(in: layout.databases.attachments, startingWith: key) { found, _ in
        guard found.count == key.count + 10 else { return }
        moments.insert(
          Moment(
            time: found.load(at: key.count, as: UInt64.self).byteSwapped,
            counter: found.load(at: key.count + 8, as: UInt16.self).byteSwapped))
      }
      branches[stream, default: [:]][branch] = moments
    }
  }

  private static func momentKey(_ stream: ReplicaID, _ branch: ReplicaID) -> [UInt8] {
    var key = momentPrefix
    key.append(bigEndian: stream.value)
    key.append(bigEndian: branch.value)
    return key
  }

  /// What a store must know of the branches that does not get their transactions.
  package var momentAttachments: [SaveRequest.Attachment] {
    branches.flatMap { stream, parts in
      parts.flatMap { branch, moments in
        moments.map { moment in
          var key = ForkedStreams.momentKey(stream, branch)
          key.append(bigEndian: moment.time)
          key.append(bigEndian: moment.counter)
          return SaveRequest.Attachment(key: key, value: [])
        }
      }
    }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// Adds a transaction that is about to be merged.
  package mutating func add(_ stamp: Stamp, of branch: ReplicaID, stream: ReplicaID) {
    branches[stream, default: [:]][branch, default: []].insert(Moment(stamp))
  }

  /// A stamp, and what it is under the ids of the branches that have its transaction.
  ///
  /// Facts keep the stamps under which they were written; who has them of a branch knows their transactions, and what
  /// those had seen, by the branch's id alone. More than one branch: two stores wrote at one moment.
  package func names(of stamp: Stamp) -> [Stamp] {
    guard let parts = branches[stamp.replica] else { return [stamp] }
    let moment = Moment(stamp)
    return [stamp]
      + parts.keys.sorted().filter { parts[$0]?.contains(moment) ?? false }
      .map { Stamp(time: stamp.time, counter: stamp.counter, replica: $0) }
  }

  /// Whether two stamps of one replica id are of stores that had parted, so that neither author knew the other's write.
  package func areApart(_ left: Stamp, _ right: Stamp) -> Bool {
    guard left.replica == right.replica, let parts = branches[left.replica]?.values,
      let shared = shared[left.replica]
    else { return false }
    let (left, right) = (Moment(left), Moment(right))
    guard left > shared, right > shared else { return false }
    return !parts.contains { $0.contains(left) && $0.contains(right) }
  }
}

extension StoreSnapshot {
  package var forkedStreams: ForkedStreams {
    get throws { try ForkedStreams(transaction, layout) }
  }
}
