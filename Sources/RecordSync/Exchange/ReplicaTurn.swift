import RecordStore

/// The order of replicas in a run that may not move all of their files: it begins behind the replica that came last in
/// the run before, as ``TurnOrder`` has it.
///
/// Nothing is read or noted without a bound.
struct ReplicaTurn {
  private let kind: ByteBudget.Kind
  private let direction: ByteBudget.Direction
  private let budget: ByteBudget?
  private let store: RecordStore?
  private let key: [UInt8]
  /// The one that came last, as the store has noted it, and in this run.
  private let noted: ReplicaID?
  private var last: ReplicaID?

  /// `way`: where the files come from or go to; a name that is the same in every run. `store`: keeps the turn.
  init(
    _ kind: ByteBudget.Kind, _ direction: ByteBudget.Direction, on way: String, of store: RecordStore?,
    within budget: ByteBudget?
  ) throws {
    (self.kind, self.direction, self.budget, self.store) = (kind, direction, budget, store)
    key = SyncAttachment.turns + ContentHash(of: "\(kind.rawValue) \(direction)\n\(way)".utf8).bytes.prefix(16)
    guard let store, budget != nil, let value = try store.read({ [key] in try $0.attachment(key) }) else {
      noted = nil
      return
    }
    var reader = FileReader(value, subject: "the turn of the replicas")
    noted = ReplicaID(try reader.integer())
  }

  /// The replicas in the order of this run.
  func ordered(_ replicas: [ReplicaID]) -> [ReplicaID] {
    guard budget != nil, let noted else { return replicas }
    return TurnOrder.ordered(replicas, behind: noted)
  }

  /// Notes the replica as the last one, if `body` moves something of it.
  mutating func taking<Result>(_ replica: ReplicaID, _ body: () throws -> Result) rethrows -> Result {
    guard let budget else { return try body() }
    let before = budget.movedCount(kind, direction)
    defer { if budget.movedCount(kind, direction) > before { last = replica } }
    return try body()
  }

  /// One commit, after a run that has left something and in which another replica came last than in the one before.
  func save() throws {
    guard let store, let budget, budget.hasLeftAnything, let last, last != noted else { return }
    var writer = FileWriter()
    writer.put(last.value)
    _ = try store.commit(SaveRequest(attachments: [StoreAttachment(key: key, value: writer.bytes)]))
  }
}
