/// The arrivals of a merge at which rules look, and the state of their records before it: a higher layer judges by
/// this whose writes were lost.
package struct AskedArrivals: Hashable, Sendable {
  /// The arrivals of one record in the order of transactions.
  package private(set) var arrivals: [RecordArrival] = []
  /// The facts of these records as they were written before.
  package private(set) var known: [RecordKey: RecordFacts] = [:]
  /// How they stood, and those below the ones that nobody saw.
  package private(set) var standings: [RecordKey: RecordStanding] = [:]
  /// Records that rules changed for readers.
  package internal(set) var changed: [RecordKey] = []

  init() {}

  /// Reads how things stand. One look-up a record.
  init(_ arrivals: [RecordArrival], in snapshot: borrowing StoreSnapshot) throws {
    guard !arrivals.isEmpty else { return }
    self.arrivals = arrivals
    let standings = try RecordStandings(in: snapshot)
    for index in arrivals.indices {
      let facts = arrivals[index].facts
      let written = try snapshot.storedAsWritten(facts.id, of: facts.entity)
      // Ids that an earlier build joined for good name the record that has their facts.
      if let written { self.arrivals[index].facts.id = written.id }
      let key = self.arrivals[index].facts.key
      known[key] = written
      try read(RecordKey(entity: facts.entity, id: try snapshot.canonical(key.id)), standings, in: snapshot)
    }
  }

  private mutating func read(
    _ key: RecordKey, _ standings: RecordStandings, in snapshot: borrowing StoreSnapshot
  ) throws {
    let facts = try snapshot.storedFacts(key.id, of: key.entity)
    if facts?.deleted != nil || standings.dependsOnOthers(key.entity) { try readStanding(of: key, standings) }
    // Those below a visible record show in what the merge changes for readers.
    let isHidden = try snapshot.row(key.id, of: key.entity) == nil
    guard isHidden, standings.hasDependents(key.entity) else { return }
    for below in try standings.dependents(of: key.id, entity: key.entity) {
      try readStanding(of: RecordKey(entity: below.entity, id: below.id), standings)
    }
  }

  private mutating func readStanding(of key: RecordKey, _ standings: RecordStandings) throws {
    guard self.standings[key] == nil else { return }
    self.standings[key] = try standings.standing(of: key.id, entity: key.entity)
  }

  /// Adds a record that rules reached later. `before`: nil if it is new; else readers saw it, never deleted.
  mutating func add(_ arrivals: [RecordArrival], before: RecordFacts?, dependsOnOthers: Bool) {
    self.arrivals += arrivals
    guard let before else { return }
    known[before.key] = before
    if dependsOnOthers { standings[before.key] = .alive(overriding: nil) }
  }
}
