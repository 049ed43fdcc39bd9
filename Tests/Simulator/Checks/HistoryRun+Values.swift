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
    guard let lost = named.subtracting(awaited).first(where: { !folder.isSound($0) }) else { return }
    let sentence = "\(replica) names \(text(lost)), has it not whole and does not await it"
    throw fail(.valuesAreHereOrAwaited, sentence, on: replica)
  }

  /// What the store's own list of names must have, found without it: the values of all records, visible or not, of
  /// the saves that history tells of, and of the conflict log.
  private func namedValues(in store: RecordStore) throws -> Set<ExternalReference> {
    let records = try valuesOfRecords(in: store)
    return try store.read { snapshot in
      var found = records
      try snapshot.forEachAttachment(prefix: Self.conflictLog) { _, value in
        found.formUnion(references(in: value))
        return true
      }
      try snapshot.forEachOutgoing(of: snapshot.replica, after: 0, asStored: true) { outgoing in
        found.formUnion(outgoing.references)
        return true
      }
      return found
    }
  }

  private static let conflictLog = Array("sync/conflict/".utf8)

  private func valuesOfRecords(in store: RecordStore) throws -> Set<ExternalReference> {
    try store.read { snapshot in
      var found: Set<ExternalReference> = []
      for (name, entity) in entityNames {
        guard let entity = snapshot.catalogue.entity(named: entity),
          let facts = try snapshot.storedFacts(session.record(name), of: entity.number)
        else { continue }
        found.formUnion(facts.registers.compactMap { ExternalReference(stored: $0.value) })
      }
      return found
    }
  }

  /// What looks like a reference in some bytes.
  private func references(in bytes: [UInt8]) -> Set<ExternalReference> {
    let (data, mark) = (Data(bytes), Data(ExternalReference.mark))
    var found: Set<ExternalReference> = []
    var rest = data.startIndex..<data.endIndex
    while let place = data.range(of: mark, in: rest) {
      let end = place.lowerBound + ExternalReference.byteCount
      if end <= data.endIndex {
        found.formUnion([ExternalReference(stored: .data(data.subdata(in: place.lowerBound..<end)))].compactMap(\.self))
      }
      rest = place.upperBound..<data.endIndex
    }
    return found
  }

  // MARK: Folders

  /// The files of values in a replica's own part of its folder, by their digests.
  func ownValueFiles(of replica: String) throws -> Set<String> {
    guard history.newestSchema.hasFiles else { return [] }
    return try session.ownValues(of: replica)
  }

  /// I26. `before`: the files that lay in the replica's folder before the engine worked on it.
  func checkValuesStay(_ before: Set<String>, on replica: String) throws {
    guard history.newestSchema.hasFiles, history.hasOracle else { return }
    outcome.checked.insert(.valuesStayForOthers)
    let gone = before.subtracting(try ownValueFiles(of: replica))
    guard !gone.isEmpty else { return }
    let others = history.members.filter { $0 != replica }
    for other in others {
      let wanted = try valuesOfRecords(in: session.store(of: other)).filter { gone.contains($0.name) }
      for value in wanted {
        let isAnywhere = try others.contains { try session.store(of: $0).externalFolder?.has(value) == true }
        guard !isAnywhere else { continue }
        let sentence = "\(replica) removed the file of \(text(value)), which \(other) names and nobody else has"
        throw fail(.valuesStayForOthers, sentence, on: replica)
      }
    }
  }

  // MARK: The end

  /// I25, once everybody has everything. Removes what nothing names.
  func checkValuesInTheEnd() throws {
    guard history.newestSchema.hasFiles else { return }
    outcome.checked.insert(.valuesComeAndGo)
    for replica in history.members { try checkValuesHaveCome(to: replica) }
    for replica in history.members { try checkValuesGo(from: replica) }
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
    guard placed.contains(where: { !named.contains($0.name) }) else { return }
    throw fail(.valuesComeAndGo, "\(replica) keeps \(placed.count) large values and names \(named.count)")
  }

  private func text(_ value: ExternalReference) -> String {
    files[FieldValue.data(Data(value.payload))] ?? value.name
  }
}
