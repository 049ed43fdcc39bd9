import RecordStore
import TestSupport
import Testing

/// One row of a table of merges: two devices begin with the same records, each saves on its own, and after they have
/// met every device shows the same, whatever came first.
///
/// A line of `apart` is a save of device `A` or `B`. Each is later than the lines above it, and no device has seen the
/// other's. A line `meet` lets the two exchange in between.
struct MergeCase: Sendable, CustomTestStringConvertible {
  let title: String
  let before: [String]
  let apart: [String]
  let shows: [String]
  var testDescription: String { title }

  init(_ title: String, before: [String] = [], _ apart: [String], shows: [String]) {
    (self.title, self.before, self.apart, self.shows) = (title, before, apart, shows)
  }

  /// Two devices write; two more read, the one A's saves first, the other B's.
  func run(schema: StoreSchema = .fixture, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let family = try ReplicaFamily(count: 4, schema: schema)
    let script = try RuleScript(family.stores[0].store)
    for save in before { try self.save(save, on: 0, family, script) }
    for reader in 1..<4 { try family.pull(into: reader, from: 0) }
    for line in apart {
      guard line != "meet" else {
        try meet(family)
        continue
      }
      let parts = line.split(separator: ":", maxSplits: 1)
      precondition(parts.count == 2 && ["A", "B"].contains(parts[0]), "a line begins with its device: \(line)")
      try save(String(parts[1]), on: parts[0] == "A" ? 0 : 1, family, script)
    }
    try meet(family)
    for (reader, order) in [(2, [0, 1]), (3, [1, 0])] {
      for source in order { try family.pull(into: reader, from: source) }
    }
    let dump = try family.dump(0)
    for device in 0..<4 {
      let records = try script.records(of: family.stores[device].store)
      #expect(records == shows, "device \(device)", sourceLocation: sourceLocation)
      #expect(try family.dump(device) == dump, "device \(device)", sourceLocation: sourceLocation)
      try family.stores[device].check(sourceLocation: sourceLocation)
    }
  }

  private func meet(_ family: ReplicaFamily) throws {
    try family.pull(into: 0, from: 1)
    try family.pull(into: 1, from: 0)
  }

  /// The clocks move together, so a later line has the later stamp.
  private func save(_ save: String, on device: Int, _ family: ReplicaFamily, _ script: RuleScript) throws {
    for clock in family.clocks { clock.advance() }
    _ = try family.stores[device].store.commit(SaveRequest(changes: script.changes(save)))
  }
}
