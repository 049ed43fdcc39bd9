import LMDB

/// Streams that several stores wrote under one replica id, and which of their transactions belongs to which branch.
///
/// Within one stream a later transaction knew the earlier ones; across branches it did not. Entries of table
/// `attachments`: `fork/`, the stream's id and the branch's id, most significant byte first; the value is a format
/// byte, 1, and the stamp (18) of the last transaction that the branch shares with others: one of the stream, or of the
/// branch from which it parted. Builds that named the stream's for all branches do not know of the latter. The branch's
/// transactions are those of the stream of its own id, with its own times. A store that began with a snapshot has not
/// got those: for each of them the snapshot brings an entry `moment/`, stream, branch, time u64 and counter u16, most
/// significant byte first, without a value.
///
/// Up to where a stream parts its id names one and the same transactions. Above it the id names those of any branch,
/// and a branch's id those of one life alone: ``covers(_:_:)`` knows the difference.
package struct ForkedStreams: Hashable, Sendable {
  package static let prefix = [UInt8]("fork/".utf8)
  package static let momentPrefix = [UInt8]("moment/".utf8)

  /// The part of a stamp that is the same under the stream's id and the branch's.
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
  /// By branch.
  private var streams: [ReplicaID: ReplicaID] = [:]
  /// By branch: the last moment that it shares with others.
  private var beginnings: [ReplicaID: Moment] = [:]

  package var isEmpty: Bool { branches.isEmpty }

  static func isNote(_ attachment: StoreAttachment) -> Bool {
    attachment.key.starts(with: prefix) || attachment.key.starts(with: momentPrefix)
  }

  /// The ids under which branches go.
  package var branchIDs: [ReplicaID] { streams.keys.sorted() }

  package static func attachment(
    stream: ReplicaID, branch: ReplicaID, lastShared: Stamp
  ) -> StoreAttachment {
    var key = prefix
    key.append(bigEndian: stream.value)
    key.append(bigEndian: branch.value)
    let value = [UInt8](byteCount: 1 + Stamp.byteCount) { writer in
      writer.write(1 as UInt8)
      writer.write(lastShared)
    }
    return StoreAttachment(key: key, value: value)
  }

  /// Reads nothing but one empty range where no stream is forked.
  init(_ view: TransactionView, _ layout: StoreLayout) throws {
    var notes: [StoreAttachment] = []
    try view.forEachKey(in: layout.databases.attachments, startingWith: ForkedStreams.prefix) { key, value in
      notes.append(StoreAttachment(key: key.copied(), value: value.copied()))
    }
    if !notes.isEmpty {
      try view.forEachKey(in: layout.databases.attachments, startingWith: ForkedStreams.momentPrefix) { key, value in
        notes.append(StoreAttachment(key: key.copied(), value: value.copied()))
      }
    }
    self.init(notes: notes)
    for (stream, parts) in branches {
      for branch in parts.keys {
        try HistoryTable(view, layout).forEachDot(of: branch, after: 0) { row in
          branches[stream]?[branch]?.insert(Moment(row.stamp))
          return true
        }
      }
    }
  }

  /// As entries of table `attachments` tell it, those of ``momentAttachments`` included; others are passed over.
  package init(notes: [StoreAttachment]) {
    for note in notes where note.key.starts(with: ForkedStreams.prefix) {
      guard note.key.count == ForkedStreams.prefix.count + 16, let value = note.value,
        value.count == 1 + Stamp.byteCount
      else { continue }
      let (stream, branch) = ForkedStreams.ids(note.key, after: ForkedStreams.prefix)
      let moment = value.withRawBytes { Moment(Stamp(encoded: $0, at: 1)) }
      shared[stream] = shared[stream].map { min($0, moment) } ?? moment
      beginnings[branch] = moment
      streams[branch] = stream
      branches[stream, default: [:]][branch] = []
    }
    let place = ForkedStreams.momentPrefix.count + 16
    for note in notes where note.key.starts(with: ForkedStreams.momentPrefix) && note.key.count == place + 10 {
      let (stream, branch) = ForkedStreams.ids(note.key, after: ForkedStreams.momentPrefix)
      let moment = note.key.withRawBytes { key in
        Moment(
          time: key.load(at: place, as: UInt64.self).byteSwapped,
          counter: key.load(at: place + 8, as: UInt16.self).byteSwapped)
      }
      // Without a note of the branch nobody asks for its moments.
      branches[stream]?[branch]?.insert(moment)
    }
  }

  /// Stream and branch, which stand behind the prefix of a key.
  private static func ids(_ key: [UInt8], after prefix: [UInt8]) -> (stream: ReplicaID, branch: ReplicaID) {
    key.withRawBytes { key in
      (
        ReplicaID(key.load(at: prefix.count, as: UInt64.self).byteSwapped),
        ReplicaID(key.load(at: prefix.count + 8, as: UInt64.self).byteSwapped)
      )
    }
  }

  private static func momentKey(_ stream: ReplicaID, _ branch: ReplicaID) -> [UInt8] {
    var key = momentPrefix
    key.append(bigEndian: stream.value)
    key.append(bigEndian: branch.value)
    return key
  }

  /// The attachments that a store must have of the branches when it does not get their transactions.
  package var momentAttachments: [StoreAttachment] {
    branches.flatMap { stream, parts in
      parts.flatMap { branch, moments in
        moments.map { moment in
          var key = ForkedStreams.momentKey(stream, branch)
          key.append(bigEndian: moment.time)
          key.append(bigEndian: moment.counter)
          return StoreAttachment(key: key, value: [])
        }
      }
    }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// Adds a transaction that is about to be merged.
  package mutating func add(_ stamp: Stamp, of branch: ReplicaID, stream: ReplicaID) {
    branches[stream, default: [:]][branch, default: []].insert(Moment(stamp))
    streams[branch] = stream
  }

  /// A stamp, and what it is under the ids of the branches that have its transaction.
  ///
  /// Facts keep the stamps under which they were written. Those of a branch tell a store their transactions, and what
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
    guard left.replica == right.replica, let shared = shared[left.replica], Moment(left) > shared,
      Moment(right) > shared
    else { return false }
    let (left, right) = (lives(of: left), lives(of: right))
    return !left.contains { one in right.contains { goesOn($0, from: one) || goesOn(one, from: $0) } }
  }

  /// Whether a replica's id is that of a forked stream, or of a branch.
  package func names(_ replica: ReplicaID) -> Bool { shared[replica] != nil || streams[replica] != nil }

  /// Up to where the id of a forked stream tells the writer; nil: the stream is not forked.
  package func lastShared(of stream: ReplicaID) -> Stamp? {
    shared[stream].map { Stamp(time: $0.time, counter: $0.counter, replica: stream) }
  }

  /// Whether a store that has seen what `vector` says has seen the transaction with this stamp, by whichever names both
  /// go. With something of a branch all that lies before it was seen. Where two stores wrote at one moment, and the
  /// vector does not tell whose transaction was the last that was seen, only what all share counts as seen.
  package func covers(_ vector: VersionVector, _ stamp: Stamp) -> Bool {
    let stream = streams[stamp.replica] ?? stamp.replica
    guard let shared = shared[stream] else { return vector.covers(stamp) }
    let moment = Moment(stamp)
    let ends = vector.entries.values.map(\.stamp).filter {
      (streams[$0.replica] ?? $0.replica) == stream && Moment($0) >= moment
    }
    guard moment > shared else { return !ends.isEmpty }
    let wanted = lives(of: stamp)
    return ends.contains { end in
      let seen = lives(of: end)
      return seen.count == 1 && wanted.contains { goesOn(seen[0], from: $0) }
    }
  }

  /// The branches that have the transaction with this stamp, the innermost only: one, unless two stores wrote at one
  /// moment. None: it is not known yet, or it is shared.
  private func lives(of stamp: Stamp) -> [ReplicaID] {
    let moment = Moment(stamp)
    let isNamed = streams[stamp.replica] != nil
    let parts = branches[streams[stamp.replica] ?? stamp.replica] ?? [:]
    let found = parts.keys.filter { branch in
      (parts[branch]?.contains(moment) ?? false) && (!isNamed || goesOn(branch, from: stamp.replica))
    }
    return found.isEmpty && isNamed ? [stamp.replica] : innermost(found)
  }

  private func innermost(_ found: [ReplicaID]) -> [ReplicaID] {
    found.filter { outer in !found.contains { $0 != outer && goesOn($0, from: outer) } }
  }

  /// Whether a branch is the other, or parted from it or from one that did.
  private func goesOn(_ branch: ReplicaID, from other: ReplicaID) -> Bool {
    var branch = branch
    while branch != other {
      guard let outer = outer(of: branch) else { return false }
      branch = outer
    }
    return true
  }

  /// The branch from which another parted; nil if that was the stream, or is not known.
  private func outer(of branch: ReplicaID) -> ReplicaID? {
    guard let stream = streams[branch], let shared = shared[stream], let beginning = beginnings[branch],
      beginning > shared
    else { return nil }
    let found = innermost(
      (branches[stream] ?? [:]).filter { name, moments in
        // Those that begin earlier, so that no way leads in a circle.
        moments.contains(beginning) && beginnings[name].map { $0 < beginning } ?? false
      }.map(\.key))
    return found.count == 1 ? found[0] : nil
  }
}

extension StoreSnapshot {
  package var forkedStreams: ForkedStreams {
    get throws { try ForkedStreams(transaction, layout) }
  }

  /// As they are once `arriving` are merged.
  package func forkedStreams(with arriving: [TransactionFacts]) throws -> ForkedStreams {
    var forks = try forkedStreams
    for transaction in arriving {
      guard let stream = transaction.forkedFrom else { continue }
      forks.add(transaction.stamp, of: transaction.dot.replica, stream: stream)
    }
    return forks
  }
}
