import AstroSvitla
import Foundation

/// Lets a program of the person's own write the text: a model on the machine, a script that asks a service.
///
/// The program gets a JSON object on standard input, `{"area": "career", "language": "en", "chart": {…}}`, and prints
/// the text. What it says on standard error is the person's to read. Every way in which it fails throws
/// `generationFailed`.
struct ProgramReportWriter: ReportWriter {
  /// For the shell.
  let command: String
  let limitSeconds: Double

  private struct Order: Encodable {
    var area: ReportArea
    var language: AppLanguage
    var chart: NatalChart
  }

  func write(_ area: ReportArea, for chart: NatalChart, in language: AppLanguage) async throws -> String {
    let order = try JSONEncoder().encode(Order(area: area, language: language, chart: chart))
    let (command, limit) = (command, limitSeconds)
    // A thread of its own: it waits for the program, and the shared ones must not.
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(with: Result { try WriterProcess(command, limitSeconds: limit).text(for: order) })
      }
    }
  }
}
