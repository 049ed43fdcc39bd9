import Foundation
public import RecordStore

/// Everything that a store knows as facts, in one order and by names: equal facts give equal text.
///
/// Two stores that have merged the same transactions must print the same, whatever order they came
/// in and however their catalogues are numbered. Made for comparison, not for reading back.
public enum CanonicalDump {
  public static func lines(of store: RecordStore) throws -> [String] {
    try store.read { snapshot in
      var lines: [String] = []
      for entity in snapshot.catalogue.entities.sorted(by: { $0.name < $1.name }) {
        try snapshot.forEachFacts(of: entity.number) { facts, isVisible in
          lines.append(line(facts, of: entity, isVisible: isVisible))
        }
      }
      return lines
    }
  }

  private static func line(_ facts: RecordFacts, of entity: CatalogueEntity, isVisible: Bool) -> String {
    let registers = facts.registers.map { register in
      "\(entity.fields[register.ordinal].name)=\(text(register.value))@\(text(register.stamp))"
    }
    let life = "touch \(facts.touch.map(text) ?? "-") deleted \(facts.deleted.map(text) ?? "-")"
    let state = (isVisible ? "visible" : "hidden") + (facts.isInserted ? "" : " waiting")
    return "\(entity.name) \(facts.id) \(state) \(life) \(registers.sorted().joined(separator: " "))"
  }

  /// Exact: two values have one text only if they are equal.
  private static func text(_ value: FieldValue) -> String {
    switch value {
    case .data(let data): "data(\(data.base64EncodedString()))"
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
