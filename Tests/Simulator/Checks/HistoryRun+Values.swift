import Foundation
import RecordStore
import RecordSync
import ScenarioRunner

// Large values. A store is asked for its own files: a process reads them from any store that it has open.
extension HistoryRun {
  /// I24.
  func checkValues(on replica: String) throws {
    let store = session.store(of: replica)
    guard history.newestSchema.hasFiles, let folder = store.externalFolder else { return }
    outcome.checked.insert(.valuesAreHereOrAwaited)
    let named = try namedValues(in: store)
    let awaited = Set(try store.read { try $0.listedValues() }.filter(\.isAwaited).map(\.reference))
    guard let lost = named.subtracting(awaited).first(where: { folder.data(of: $0) == nil }) else { return }
    let sentence = "\(replica) names \(text(lost)), has it not and does not await it"
    throw fail(.valuesAreHereOrAwaited, sentence, on: replica)
  }

  /// What the store's own list of names must have, found without it: the values of all records, visible or not, and of
  /// the saves that history tells of.
  private func namedValues(in store: RecordStore) throws -> Set<ExternalReference> {
    try store.read { snapshot in
      var found: Set<ExternalReference> = []
      for (name, entity) in entityNames {
        guard let entity = snapshot.catalogue.entity(named: entity),
          let facts = try snapshot.storedFacts(session.record(name), of: entity.number)
        else { continue }
        found.formUnion(facts.registers.compactMap { ExternalReference(stored: $0.value) })
      }
      try snapshot.forEachOutgoing(of: snapshot.replica, after: 0, asStored: true) { outgoing in
        found.formUnion(outgoing.references)
        return true
      }
      return found
    }
  }

  /// I25, once everybody has everything. Removes what nothing names.
  func checkValuesInTheEnd() throws {
    guard history.newestSchema.hasFiles else { return }
    outcome.checked.insert(.valuesComeAndGo)
    for replica in history.replicas { try checkValuesHaveCome(to: replica) }
    for replica in history.replicas { try checkValuesGo(from: replica) }
  }

  private func checkValuesHaveCome(to replica: String) throws {
    let store = session.store(of: replica)
    guard let folder = store.externalFolder else { return }
    let named = try namedValues(in: store).union(store.read { try $0.namedValues() })
    let missing = try store.read { try $0.listedValues() }.filter { $0.isAwaited && named.contains($0.reference) }
      .map(\.reference)
    if let missing = missing.first { throw fail(.valuesComeAndGo, "\(replica) still awaits \(text(missing))") }
    if let damaged = named.first(where: { !folder.isSound($0) }) {
      throw fail(.valuesComeAndGo, "\(replica) has no whole \(text(damaged))")
    }
  }

  /// A file is dated by the store's clock. Where that was set back the file is of the future, and stays until its time
  /// has come.
  private func checkValuesGo(from replica: String) throws {
    let store = session.store(of: replica)
    guard let folder = store.externalFolder else { return }
    for _ in 0..<2 { try store.collectExternalValues(unusedForSeconds: 0) }
    let known = try store.read { try $0.namedValues() }
    let named = Set(try namedValues(in: store).union(known).map(\.name))
    let placed = try folder.placed()
    guard named.isSubset(of: placed.map(\.name)) else {
      throw fail(.valuesComeAndGo, "\(replica) has cleared away a large value that is named")
    }
    let now = store.configuration.clock.now()
    guard placed.contains(where: { !named.contains($0.name) && $0.milliseconds <= now }) else { return }
    throw fail(.valuesComeAndGo, "\(replica) keeps \(placed.count) large values and names \(named.count)")
  }

  private func text(_ value: ExternalReference) -> String {
    files[FieldValue.data(Data(value.payload))] ?? value.name
  }
}
