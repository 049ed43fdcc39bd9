import Foundation
public import RecordStore

/// Everything that a store knows as facts, in one order and by names: equal facts give equal text.
///
/// ```swift
/// let isEqual = try CanonicalDump.lines(of: phone) == CanonicalDump.lines(of: store)
/// ```
///
/// Two stores that have merged the same transactions must print the same, whatever order they came
/// in and however their catalogues are numbered. Made for comparison, not for reading back.
public enum CanonicalDump {
  ///
  /// `includesDead`: false leaves out the dead, which collection takes away sooner or later; what is left is the
  /// same before and after (see <doc:Collection>).
  ///
  /// - Throws: what reading the store throws, `StoreError`.
  public static func lines(of store: RecordStore, includesDead: Bool = true) throws -> [String] {
    try store.read { snapshot in
      var lines: [String] = []
      for entity in snapshot.catalogue.entities.sorted(by: { $0.name < $1.name }) {
        let dead = includesDead ? [] : try dead(of: entity.number, in: snapshot)
        try snapshot.forEachStoredFacts(of: entity.number) { facts, isVisible in
          guard !dead.contains(facts.id) else { return }
          lines.append(line(facts, of: entity, isVisible: isVisible))
        }
      }
      try snapshot.forEachOnceEntry { entry in
        lines.append("once \(entry.key.text.debugDescription) \(entry.runs.map(text).joined(separator: " "))")
      }
      try appendClasses(to: &lines, in: snapshot)
      return lines
    }
  }

  /// Adds which records share a row, and what each of them says for itself.
  private static func appendClasses(to lines: inout [String], in snapshot: borrowing StoreSnapshot) throws {
    for entity in snapshot.catalogue.entities.sorted(by: { $0.name < $1.name }) {
      try snapshot.forEachStoredOriginal(of: entity.number) { facts, row in
        lines.append("in the row \(row): " + line(facts, of: entity, isVisible: nil))
      }
    }
  }

  private static func dead(of entity: EntityNumber, in snapshot: borrowing StoreSnapshot) throws -> Set<RecordID> {
    var hidden: [Forgetting.Record] = []
    try snapshot.forEachStoredFacts(of: entity) { facts, isVisible in
      if !isVisible { hidden.append(Forgetting.Record(entity: entity, id: facts.id)) }
    }
    return Set(try snapshot.dead(among: hidden).map(\.id))
  }

  private static func line(_ facts: RecordFacts, of entity: CatalogueEntity, isVisible: Bool?) -> String {
    let names = names(of: entity)
    let registers = facts.registers.map { register in
      let mark = register.isOnce ? "!" : ""
      return "\(names[register.ordinal])=\(text(register.value))@\(text(register.stamp))\(mark)"
    }
    // A delete that a later touch has overridden decides nothing any more, and some replicas have forgotten it.
    let isOverridden = !entity.deleteIsFinal && facts.life ?? .zero > facts.deleted ?? .zero
    let deleted = isOverridden ? "-" : facts.deleted.map(text) ?? "-"
    let life = "touch \(facts.touch.map(text) ?? "-") deleted \(deleted)"
    let once = facts.onceInserts.map { " once \($0.keyHash.hexadecimal)@\(text($0.stamp))" }.joined()
    let shown = isVisible.map { $0 ? "visible" : "hidden" } ?? "written"
    let state = shown + (facts.isInserted ? "" : " waiting")
    return "\(entity.name) \(facts.id) \(state) \(life)\(once) \(registers.sorted().joined(separator: " "))"
  }

  /// A field that has another type elsewhere bears its type here, as it does where that one is declared.
  private static func names(of entity: CatalogueEntity) -> [String] {
    let kept = Set(entity.fields.compactMap { KeptField($0)?.field })
    return entity.fields.map { kept.contains($0.name) ? KeptField(field: $0.name, type: $0.type).name : $0.name }
  }

  /// Exact: two values have one text only if they are equal. A large value has that of its digest, wherever it lies.
  private static func text(_ value: FieldValue) -> String {
    switch value {
    case .data(let data):
      ExternalReference(stored: value.canonicalForm).map { "data(\($0.name))" } ?? "data(\(data.base64EncodedString()))"
    case .composite(let data): "composite(\(data.base64EncodedString()))"
    case .date(let date): "date(\(date.timeIntervalSinceReferenceDate))"
    case .string(let text): "string(\(text.debugDescription))"
    default: "\(value)"
    }
  }

  private static func text(_ stamp: Stamp) -> String {
    "\(stamp.epoch).\(stamp.wallMilliseconds).\(stamp.counter).\(stamp.replica)"
  }
}
