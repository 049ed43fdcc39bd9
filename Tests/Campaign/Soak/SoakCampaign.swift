import Foundation
import RecordStore

/// Everything at once for a while: two writers, two readers, a process that exchanges; kills, stops, long readers, a
/// map that starts small, and now and then more readers than there are slots.
struct SoakCampaign {
  enum Kind: String, CaseIterable { case lost, crashed, hung, grown }

  let seed: UInt64
  let seconds: Double
  let library: CallsLibrary

  /// What each process does, and the words that start it.
  private enum Role: String, CaseIterable {
    case firstWriter, secondWriter, firstReader, secondReader, exchange

    var words: [String] {
      switch self {
      case .firstWriter: ["write", "1"]
      case .secondWriter: ["write", "3"]
      case .firstReader, .secondReader: ["read"]
      case .exchange: ["exchange"]
      }
    }
  }

  init(seed: UInt64, seconds: Double) throws {
    (self.seed, self.seconds) = (seed, seconds)
    library = try CallsLibrary()
  }

  func run() throws -> Tally {
    var tally = Tally(name: "soak", unit: "saves", kinds: Kind.allCases.map(\.rawValue))
    try Workplace.current.withFolder("soak") { folder in
      var crew = SoakCrew(folder: folder, seed: seed, library: library)
      do {
        try crew.begin(Role.allCases.map(\.words))
        try crew.work(for: seconds)
        try crew.conclude()
      } catch let found as SoakCrew.Found {
        tally.add(found.kind.rawValue, "seed \(seed): \(found.sentence)")
      }
      tally.count = crew.acknowledged
      tally.figures = crew.figures
    }
    return tally
  }
}
