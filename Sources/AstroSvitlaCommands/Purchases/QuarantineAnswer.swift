import AstroSvitla
import Foundation

/// Transactions that were put aside, as a table or as JSON.
enum QuarantineAnswer {
  private struct Row: Encodable {
    var transaction: String
    var reason: String
    var product: String?
    var detail: String?
    var firstSeen: Date

    init(_ entry: QuarantineDetails) {
      transaction = entry.key
      reason = entry.reason.rawValue
      product = entry.productID
      detail = entry.detail
      firstSeen = entry.firstSeenAt
    }
  }

  static func print(_ entries: [QuarantineDetails], _ output: OutputOptions) throws {
    if output.json { return try Report.json(entries.map(Row.init)) }
    try Report.table(
      output.phrases.quarantineHeader,
      entries.map { entry in
        [
          entry.key, output.phrases.moment(entry.firstSeenAt), entry.productID ?? "–",
          entry.reason.name(in: output.spoken),
        ]
      })
  }
}
