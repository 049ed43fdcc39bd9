import Foundation
import LMDB

/// The large values beside a damaged store: those whose files are sound, and those that are lost.
struct SalvagedValues {
  private let folder: ExternalFolder
  private let unsound: Set<ExternalReference>
  /// The fields without their values, in order of entity and id.
  let lost: [SalvageReport.Record]
  /// Those that have not come yet, as the store's list has them.
  let awaited: [ListedValue]

  /// Reads each file that a record names from end to end.
  init(of file: SalvagedFile, in url: URL) {
    let folder = ExternalFolder(store: url.path, fileMode: 0o600, directoryMode: 0o700, flushes: true)
    let all = file.rows.values.map(\.facts) + file.formerRows.values.map(\.facts) + file.originals.values
    awaited = SalvagedValues.awaited(file, folder)
    // A value that has not come yet is not lost.
    var checked = Dictionary(awaited.map { ($0.reference, true) }, uniquingKeysWith: { first, _ in first })
    var lost: Set<SalvageReport.Record> = []
    for facts in all {
      for register in facts.registers {
        guard let reference = ExternalReference(stored: register.value) else { continue }
        let isSound = checked[reference] ?? folder.isSound(reference)
        checked[reference] = isSound
        guard !isSound else { continue }
        let entity = file.catalogue.entities[facts.entity]
        lost.insert(
          SalvageReport.Record(
            entity: entity.name, id: facts.id,
            reason: "the file of its \(entity.fields[register.ordinal].name) is missing or damaged"))
      }
    }
    self.folder = folder
    unsound = Set(checked.filter { !$0.value }.keys)
    self.lost = lost.sorted { ($0.entity, $0.reason) < ($1.entity, $1.reason) }
  }

  private static func awaited(_ file: SalvagedFile, _ folder: ExternalFolder) -> [ListedValue] {
    file.attachments.compactMap { ListedValue(key: $0.key, value: $0.value) }
      .filter { $0.isAwaited && folder.readablePath(of: $0.reference) == nil }
  }

  /// A record as if fields whose values are lost had not been written: a device that has them brings them back.
  func without(lostOf facts: RecordFacts) -> RecordFacts {
    guard !unsound.isEmpty else { return facts }
    var kept = facts
    kept.registers.removeAll { register in ExternalReference(stored: register.value).map(unsound.contains) ?? false }
    return kept
  }

  func copy(to target: ExternalFolder) throws {
    let damaged = Set(unsound.map(\.name))
    try folder.copy(to: target) { !damaged.contains($0.name) }
  }
}
