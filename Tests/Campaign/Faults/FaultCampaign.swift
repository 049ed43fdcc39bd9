import Foundation
import RecordStore
import Synchronization

/// Makes each call of each step fail in each way, one after the other.
struct FaultCampaign: Sendable {
  var seed: UInt64
  /// How many points at most, drawn at random; nil: all.
  var points: Int?
  var steps = Step.allCases
  var kinds = FaultPoint.Class.allCases
  var only: FaultPoint?
  var jobs: Int

  private static let besides: Set<Step> = [.save, .fetch, .migrate, .export, .copy, .backup, .close, .open]

  func run() throws -> Tally {
    let library = try CallsLibrary()
    let all: [FaultPoint]
    if let only { all = [only] } else { all = try enumerate(library) }
    let tally = Mutex(Tally(name: "faults", unit: "points", kinds: FaultRun.Kind.allCases.map(\.rawValue)))
    let progress = Progress()
    let auditors = Auditors()
    try Crew.run(0..<all.count, jobs: jobs) { index in
      let point = all[index]
      let auditor = auditors.take()
      defer { auditors.give(auditor) }
      do {
        let met = try FaultRun(point: point, seed: seed, library: library).run(auditor)
        tally.withLock { $0.count += met.times > 0 ? 1 : 0 }
      } catch let found as FaultRun.Findings {
        tally.withLock {
          $0.count += 1
          $0.add(found.kind.rawValue, "\(point): \(found.sentences.joined(separator: "; "))")
        }
      }
      progress.show("\(index + 1) of \(all.count) points; \(tally.withLock { $0.summary })")
    }
    return tally.withLock { $0 }
  }

  /// All points, or as many as are wanted, drawn by chance.
  private func enumerate(_ library: CallsLibrary) throws -> [FaultPoint] {
    let found = Mutex<[Int: [FaultPoint]]>([:])
    let auditors = Auditors()
    let variants = steps.flatMap { step in
      Self.besides.contains(step) ? [(step, false), (step, true)] : [(step, false)]
    }
    try Crew.run(0..<variants.count, jobs: jobs) { index in
      let (step, isBeside) = variants[index]
      let none = FaultPoint(step: step, kind: .open, how: "EIO", number: .max, isBeside: isBeside)
      let run = FaultRun(point: none, seed: seed, library: library)
      let auditor = auditors.take()
      defer { auditors.give(auditor) }
      let met: FaultRun.Met
      do {
        met = try run.run(auditor)
      } catch let found as FaultRun.Findings {
        throw Trouble("without any fault, \(step.rawValue): \(found.sentences.joined(separator: "; "))")
      }
      found.withLock { $0[index] = points(step, isBeside, met.counts) }
    }
    var random = SplitMix(state: seed)
    let all = found.withLock { $0 }.sorted { $0.key < $1.key }.flatMap(\.value)
    guard let points else { return all }
    return (0..<points).compactMap { _ in all.randomElement(using: &random) }
  }

  /// One more than there were calls, for another run may have more.
  private func points(_ step: Step, _ isBeside: Bool, _ counts: [String: Int]) -> [FaultPoint] {
    kinds.flatMap { kind -> [FaultPoint] in
      let count = counts[kind.rawValue] ?? 0
      guard count > 0 else { return [] }
      return kind.hows.flatMap { how in
        (1...count + 1).flatMap { number in
          // A signal interrupts one call.
          (how == "EINTR" ? [false] : [false, true]).map { goesOn in
            FaultPoint(step: step, kind: kind, how: how, number: number, goesOn: goesOn, isBeside: isBeside)
          }
        }
      }
    }
  }
}

/// Auditors that are not at work.
final class Auditors: Sendable {
  // Unchecked: each is used by one thread at a time, between taking and giving.
  private struct Free: @unchecked Sendable { var processes: [AuditorProcess] = [] }
  private let free = Mutex(Free())

  func take() -> AuditorProcess { free.withLock { $0.processes.popLast() } ?? AuditorProcess() }
  func give(_ auditor: AuditorProcess) { free.withLock { $0.processes.append(auditor) } }
}
