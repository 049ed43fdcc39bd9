import Foundation

/// How many times faster than each peer we are, kept in a file, and how far below it a run may be.
struct RatioThresholds: Codable {
  struct Ratio: Codable {
    let comparison: String
    let peer: String
    let ratio: Double
  }

  /// With which the ratios were measured, and are measured again.
  var records: Int
  var changes: Int
  var runs: Int
  /// 0.25: three quarters of the ratio pass. Disks and neighbours differ from run to run.
  var margin: Double
  var ratios: [Ratio]

  static let fileName = "ratios.json"

  init(margin: Double, report: BenchmarkReport) {
    (records, changes, runs) = (report.records, report.changes, report.runs)
    self.margin = margin
    ratios = Self.ratios(of: report)
  }

  /// Of the peers that we want to be faster than, or smaller in so far.
  private static func ratios(of report: BenchmarkReport) -> [Ratio] {
    let sizes = report.sizes?.sides.filter { $0.target != nil } ?? []
    return report.comparisons.flatMap { comparison in
      comparison.sides.filter { $0.target != nil }.map { ratio(comparison.name, $0.name, $0.ratio) }
    } + sizes.map { ratio(StoreSizes.name, $0.name, $0.ratio) }
  }

  private static func ratio(_ comparison: String, _ peer: String, _ ratio: Double) -> Ratio {
    Ratio(comparison: comparison, peer: peer, ratio: (ratio * 100).rounded() / 100)
  }

  /// These thresholds without those beside a peer that is not there.
  func without(_ peer: String) -> RatioThresholds {
    var rest = self
    rest.ratios.removeAll { $0.peer.hasPrefix(peer) }
    return rest
  }

  /// A sentence for each ratio that is below its threshold or not the one that is kept.
  func findings(_ report: BenchmarkReport) -> [String] {
    let measured = Self.ratios(of: report)
    return ratios.compactMap { kept in
      let name = "'\(kept.comparison)' beside \(kept.peer)"
      guard let now = measured.first(where: { $0.comparison == kept.comparison && $0.peer == kept.peer }) else {
        return name + " is kept and was not measured"
      }
      let least = kept.ratio * (1 - margin)
      guard now.ratio < least else { return nil }
      return name + String(format: " is × %.2f, at least × %.2f is kept (× %.2f once)", now.ratio, least, kept.ratio)
    }
  }
}
