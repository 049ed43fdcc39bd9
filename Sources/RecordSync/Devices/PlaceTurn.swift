import RecordStore

/// The order of stores in a run that may not move all of their files: it begins behind the store that moved the first
/// file of the run before.
///
/// Where both directions share one order, that store found both ways open, so that everything of it had its turn. The
/// turn is noted in the store itself: the one with the highest number had it last. Nothing is read or noted without a
/// bound.
struct PlaceTurn {
  private let directions: [ByteBudget.Direction]
  private let budget: ByteBudget?
  private let key: [UInt8]
  /// The store that had its turn last, and its number.
  private let noted: (place: DeviceDirectory.Place, number: UInt64)?
  /// The store that moved the first file of this run.
  private(set) var first: DeviceDirectory.Place?

  /// `way`: where the files come from or go to; a name that is the same in every run. `stores`: those that may have
  /// noted a turn.
  init(
    _ directions: [ByteBudget.Direction], on way: String, of stores: [(DeviceDirectory.Place, RecordStore)],
    within budget: ByteBudget?
  ) throws {
    (self.directions, self.budget) = (directions, budget)
    let ways = directions.map { "\($0)" }.joined(separator: " ")
    let key = SyncAttachment.turns + ContentHash(of: "stores \(ways)\n\(way)".utf8).bytes.prefix(16)
    self.key = key
    var noted: (place: DeviceDirectory.Place, number: UInt64)?
    for (place, store) in budget == nil ? [] : stores {
      guard let value = try store.read({ try $0.attachment(key) }) else { continue }
      var reader = FileReader(value, subject: "the turn of the stores")
      let number = try reader.integer(UInt64.self)
      if number > noted?.number ?? 0 { noted = (place, number) }
    }
    self.noted = noted
  }

  /// The stores in the order of this run.
  func ordered(_ places: some Sequence<DeviceDirectory.Place>) -> [DeviceDirectory.Place] {
    TurnOrder.ordered(places, behind: noted?.place)
  }

  /// To be called after each store.
  mutating func note(_ place: DeviceDirectory.Place) {
    guard let budget, first == nil else { return }
    if directions.contains(where: { budget.movedCount(.files, $0) > 0 }) { first = place }
  }

  /// One commit, after a run that has left something and that another store began than the one before. `store`: that
  /// of ``first``; without it the next run begins as this one did.
  func save(in store: RecordStore?) throws {
    guard let store, let budget, budget.hasLeftAnything, let first, first != noted?.place else { return }
    var writer = FileWriter()
    writer.put((noted?.number ?? 0) + 1)
    _ = try store.commit(SaveRequest(attachments: [StoreAttachment(key: key, value: writer.bytes)]))
  }
}
