import TestSupport

@testable import RecordStore

/// Facts of records as text, so that the rules of what is visible can be read as a table.
///
/// A line is one record: its entity and number, then what is known of it. Numbers behind an `@` are times.
/// ```
/// Trip 1 inserted touch=2 delete=3 name=Rome@2
/// Stop 3 inserted touch=4 trip=#1@4
/// ```
/// `touch` and `delete` are the greatest of their kind; a value is a register with its time; `nil` is null.
struct FactScript {
  let names: FixtureNames
  /// The replica whose stream all facts are of.
  static let author = ReplicaID(0xFACE)

  static func stamp(_ time: UInt64) -> Stamp {
    Stamp(epoch: 0, wallMilliseconds: 1_800_000_000_000 + time, counter: 0, replica: author)
  }

  func facts(_ line: String) -> RecordFacts {
    let words = line.split(separator: " ")
    guard let number = UInt64(words[1]) else { preconditionFailure("a record has a number: \(line)") }
    let entity = String(words[0])
    var facts = RecordFacts(entity: names.entity(entity), id: fixtureID(number))
    for word in words.dropFirst(2) {
      if word == "inserted" {
        facts.isInserted = true
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      switch parts[0] {
      case "touch": facts.touch = time(parts[1])
      case "delete": facts.deleted = time(parts[1])
      default: set(parts[0], parts[1], entity, &facts)
      }
    }
    return facts
  }

  private func time(_ text: some StringProtocol) -> Stamp {
    guard let time = UInt64(text) else { preconditionFailure("\(text) is no time") }
    return Self.stamp(time)
  }

  private func set(_ name: String, _ value: String, _ entity: String, _ facts: inout RecordFacts) {
    let parts = value.split(separator: "@")
    let text = String(parts[0])
    let ordinal = names.ordinal(entity, name)
    let value: FieldValue
    if text == "nil" {
      value = .null
    } else if text.hasPrefix("#"), let number = UInt64(text.dropFirst()) {
      value = .reference(fixtureID(number))
    } else if names.catalogue.entities[facts.entity].fields[ordinal].type == .int, let number = Int64(text) {
      value = .int(number)
    } else {
      value = .string(text)
    }
    facts.set(value, at: ordinal, stamp: time(parts[1]))
  }

  /// What a store is given: the facts, and that it has seen all of the author's.
  func restored(_ lines: [String]) -> RestoredFacts {
    RestoredFacts(
      vector: VersionVector(entries: [Self.author: .init(sequence: 9, stamp: Self.stamp(1_000))]),
      records: lines.map(facts))
  }
}
