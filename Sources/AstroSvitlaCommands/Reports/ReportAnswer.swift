import AstroSvitla
import Foundation

/// One report on stdout.
enum ReportAnswer {
  static func print(
    _ report: ReportDetails, paidBy payment: ReportPayment?, _ output: OutputOptions, withText: Bool
  ) throws {
    if output.json { return try Report.json(ReportRow(report, payment)) }
    try Report.line(
      output.phrases.generated(
        report.area.name(in: output.spoken), words: report.wordCount, minutes: report.readingMinutes,
        report.requestID.uuidString))
    if withText { try Report.text("\n" + report.text) }
  }
}
