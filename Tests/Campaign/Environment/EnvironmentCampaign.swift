import Foundation
import Synchronization

/// Plays all surroundings, one after the other. What the machine does not allow is skipped, with the reason.
struct EnvironmentCampaign {
  var seed: UInt64
  var isLong: Bool
  var only: String?

  func run() throws -> Tally {
    var tally = Tally(name: "environment", unit: "surroundings", kinds: ["wrong"])
    let library = try CallsLibrary()
    var skipped = 0
    for item in EnvironmentCase.all where only.map(item.name.contains) ?? true {
      guard !Workplace.current.isEnding else { break }
      let begin = ContinuousClock.now
      do {
        try Workplace.current.withFolder("environment") { folder in
          try item.play(EnvironmentStage(folder: folder, seed: seed, library: library, isLong: isLong))
        }
        tally.count += 1
        let seconds = ((ContinuousClock.now - begin) / .seconds(1)).formatted(.number.precision(.fractionLength(1)))
        Progress.say("played: \(item.name) (\(seconds) s)")
      } catch let skip as EnvironmentCase.Skip {
        skipped += 1
        Progress.say("skipped: \(item.name): \(skip.reason)")
      } catch let error where !(error is Trouble) {
        tally.count += 1
        tally.add("wrong", "\(item.name): \(Voice.describe(error))")
      }
    }
    tally.figures.append("\(skipped) skipped")
    return tally
  }
}

/// A view of the file systems that no other process has, so that mounts go with this one.
enum PrivateMounts {
  private static let mark = "CAMPAIGN_MOUNTS_ARE_PRIVATE"

  /// Starts this program again with its own view, unless it has one or the machine does not allow it.
  static func enter() throws {
    guard getenv(mark) == nil else { return }
    let unshare = ["/usr/bin/env", "unshare", getuid() == 0 ? "-m" : "-rm"]
    guard let probe = try? Child(unshare + ["true"]), try probe.finish() == .exit(0) else {
      return Progress.say("no private mounts: `unshare -m` is not allowed here")
    }
    setenv(mark, "1", 1)
    let words = unshare + [Command.program] + CommandLine.arguments.dropFirst()
    let arguments = words.map { strdup($0) } + [nil]
    execv(words[0], arguments)
    throw Trouble("cannot start this program again: \(String(cString: strerror(errno)))")
  }
}
