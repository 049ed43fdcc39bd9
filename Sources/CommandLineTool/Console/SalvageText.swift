import RecordStore
import StoreInspection

/// The findings of a salvage, as a person and as a program reads them.
struct SalvageText {
  let report: SalvageReport
  let place: String

  var lines: [String] {
    let records = DisplayText.count(report.recordCount, "record")
    var lines: [String] = []
    if report.isWhole {
      lines.append("\(DisplayText.visible(place)): everything was recovered, history included: \(records)")
    } else {
      let rest = report.lacksNothing ? "; history is not carried over" : ""
      lines.append("\(DisplayText.visible(place)): \(records) recovered\(rest)")
    }
    lines += section("could not be recovered", (report.lost + report.lostValues).map(sentence) + missing)
    lines += section(
      report.includesDoubtful ? "brought back, possibly deleted since" : "left out, possibly deleted since",
      report.doubtful.map(sentence))
    lines += section("once keys from older pages", report.formerOnceKeys)
    if report.recordsWithoutOnceKey > 0 {
      lines.append(
        "\(DisplayText.count(report.recordsWithoutOnceKey, "record")) of once keys that are lost: such an effect may "
          + "be made again")
    }
    if report.repeatedCount > 0 {
      lines.append("\(DisplayText.count(report.repeatedCount, "record")) said again, which no other device had")
    }
    return lines + section("damage", report.flaws)
  }

  private var missing: [String] {
    report.missing.sorted { $0.key < $1.key }.map { name, count in
      "\(DisplayText.count(count, "record")) of '\(name)', whose ids are not known"
    } + report.uncounted.map { "perhaps records of '\($0)': how many there were is not known" } + lostSaves
  }

  private var lostSaves: [String] {
    guard let numbers = report.lostSaves else { return [] }
    let saves =
      numbers.count == 1
      ? "transaction \(numbers.lowerBound)" : "the transactions \(numbers.lowerBound) to \(numbers.upperBound)"
    return ["what \(saves) changed: the page that named the last save is destroyed"]
  }

  private func section(_ title: String, _ sentences: [String]) -> [String] {
    sentences.isEmpty ? [] : ["\(title):"] + sentences.map { "  \(DisplayText.visible($0))" }
  }

  private func sentence(_ record: SalvageReport.Record) -> String {
    "\(record.entity) \(record.id.map { "\($0)" } ?? "?"): \(record.reason)"
  }

  var json: JSON {
    [
      "path": .string(place), "whole": .bool(report.isWhole), "complete": .bool(report.lacksNothing),
      "records": .integer(report.recordCount), "facts": .integer(report.factCount),
      "onceKeys": .integer(report.onceKeyCount), "lost": .array((report.lost + report.lostValues).map(json)),
      "missing": .object(report.missing.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) }),
      "uncounted": .array(report.uncounted.map { .string($0) }),
      "doubtful": .array(report.doubtful.map(json)), "doubtfulIncluded": .bool(report.includesDoubtful),
      "formerOnceKeys": .array(report.formerOnceKeys.map { .string($0) }),
      "lostSaves": .integer(report.lostSaves?.count ?? 0),
      "recordsWithoutOnceKey": .integer(report.recordsWithoutOnceKey), "repeated": .integer(report.repeatedCount),
      "flaws": .array(report.flaws.map { .string($0) }),
    ]
  }

  private func json(_ record: SalvageReport.Record) -> JSON {
    [
      "entity": .string(record.entity), "id": record.id.map { .string("\($0)") } ?? .null,
      "reason": .string(record.reason),
    ]
  }
}
