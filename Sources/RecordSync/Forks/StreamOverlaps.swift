import RecordStore

/// Which files of one stream may go because a larger one holds the same transactions.
///
/// Decided by what the files hold, for two stores that wrote under one replica id give one name to different
/// transactions. And what such a store went on from stays: files name their predecessors by hash, and without those
/// a store that begins could not tell where the two parted, so that one's transactions would be lost for it.
struct StreamOverlaps {
  private let folder: ExchangeFolder
  private let replica: ReplicaID
  private let files: [StreamFile]
  private let places: [String: StreamFile]
  private var sets: [ChangeSetName: ChangeSet?] = [:]
  private var kept: Set<ChangeSetName>?

  /// Reads nothing yet. `files`: of one replica's stream, wherever they lie.
  init(_ files: [StreamFile], of replica: ReplicaID, in folder: ExchangeFolder) {
    self.folder = folder
    self.replica = replica
    self.files = files
    places = Dictionary(files.map { ($0.name.hash, $0) }) { first, _ in first }
  }

  /// Whether `larger` holds all that `file` holds, and nobody needs `file` to tell where a stream parted. Reads the
  /// files that overlap others, each once.
  mutating func isReplaced(_ file: StreamFile, by larger: StreamFile) throws -> Bool {
    guard let held = try set(of: file) else { return false }
    return try isReplaced(file, holding: held, by: larger)
  }

  /// The same of a file that is not there, and held this.
  mutating func isReplaced(_ file: StreamFile, holding held: ChangeSet, by larger: StreamFile) throws -> Bool {
    guard let holder = try set(of: larger),
      held.firstSequence >= holder.firstSequence, held.lastSequence <= holder.lastSequence, !parts(held, holder)
    else { return false }
    return try !keptFiles().contains(file.name)
  }

  /// All that lie before a file in which a stream parts.
  private mutating func keptFiles() throws -> Set<ChangeSetName> {
    if let kept { return kept }
    var before: Set<ChangeSetName> = []
    for (index, file) in files.enumerated() {
      for other in files[..<index] where other.from <= file.to && file.from <= other.to && other.name != file.name {
        guard let left = try set(of: file), let right = try set(of: other), parts(left, right) else { continue }
        try keep(before: left, &before)
        try keep(before: right, &before)
      }
    }
    kept = before
    return before
  }

  private mutating func keep(before follower: ChangeSet, _ kept: inout Set<ChangeSetName>) throws {
    var next = follower
    while let previous = places[ContentHash(bytes: next.previousHash).name],
      kept.insert(previous.name).inserted, let found = try set(of: previous)
    {
      next = found
    }
  }

  /// Whether two files have different transactions in one place.
  private func parts(_ left: ChangeSet, _ right: ChangeSet) -> Bool {
    let first = max(left.firstSequence, right.firstSequence)
    let last = min(left.lastSequence, right.lastSequence)
    guard first <= last else { return false }
    return !left.isEqual(to: right, from: first, to: last)
  }

  /// Nil for a damaged file, which is not there.
  private mutating func set(of file: StreamFile) throws -> ChangeSet? {
    if let known = sets[file.name] { return known }
    let read = try file.readIfIntact(expecting: folder, replica: replica)
    sets[file.name] = .some(read)
    return read
  }
}
