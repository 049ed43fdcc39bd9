import Foundation
import RecordStore
import Synchronization

/// Kills processes at random moments of all steps, and stops others for a while; the next process goes on.
struct KillCampaign: Sendable {
  enum Kind: String, CaseIterable { case lost, crashed, hung, late }

  var seed: UInt64
  var kills: Int
  var jobs: Int
  /// How many processes are stopped, and for how long each.
  var stops: Int
  var stopSeconds: Double
  /// How long the next process may take to its first save, counted from its start.
  var limitSeconds: Double

  /// A store grows with its rounds, and so does each audit.
  private static let killsPerStore = 30

  func run() throws -> Tally {
    let library = try CallsLibrary()
    let state = Mutex(Tally(name: "kills", unit: "kills", kinds: Kind.allCases.map(\.rawValue)))
    let times = Mutex<[Double]>([])
    let progress = Progress()
    let stores = (kills + Self.killsPerStore - 1) / Self.killsPerStore
    try Crew.run(0..<stores + stops, jobs: jobs) { index in
      let isStop = index >= stores
      let seed = self.seed &+ UInt64(index)
      let count = isStop ? 1 : min(Self.killsPerStore, kills - index * Self.killsPerStore)
      try Workplace.current.withFolder("kill") { folder in
        var store = KilledStore(folder: folder, seed: seed, library: library)
        try store.begin()
        for round in 0..<count where !Workplace.current.isEnding {
          do {
            let time = isStop ? try store.stop(seconds: stopSeconds) : try store.kill()
            times.withLock { $0.append(time) }
            if time > limitSeconds {
              state.withLock { $0.add(Kind.late.rawValue, "the next process took \(time) s, \(store.moment)") }
            }
          } catch let finding as KilledStore.Found {
            state.withLock {
              $0.add(finding.kind.rawValue, "seed \(seed), round \(round), \(store.moment): \(finding.sentence)")
            }
            return
          }
          if !isStop { state.withLock { $0.count += 1 } }
          progress.show(state.withLock { "\($0.count) kills; \($0.summary)" })
        }
      }
    }
    return figures(state.withLock { $0 }, times.withLock { $0.sorted() })
  }

  private func figures(_ tally: Tally, _ times: [Double]) -> Tally {
    var tally = tally
    tally.figures.append("\(stops) stops of \(stopSeconds.formatted()) s")
    guard let last = times.last else { return tally }
    let middle = times[times.count / 2]
    tally.figures.append(
      String(format: "the next process saved after %.0f ms (median), %.0f ms (at most)", middle * 1000, last * 1000))
    return tally
  }
}
