import Foundation

/// Another user of the machine.
enum OtherUsers {
  private static let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  static let cases = [
    EnvironmentCase(name: "another user") { stage in
      guard getuid() == 0 else { throw EnvironmentCase.Skip("only root can become another user") }
      let place = try stage.makeFolder("store")
      try stage.createStore(in: place)
      let probe = try Child(["/usr/bin/env"] + nobody + [Command.program, "--help"])
      guard try probe.finish() == .exit(0) else {
        throw EnvironmentCase.Skip("another user cannot start this program: \(probe.trouble)")
      }
      let process = try Child(["/usr/bin/env"] + nobody + Command.work("fill", place, stage.seed, "3"))
      let lines = try process.lines(within: EnvironmentStage.limitSeconds)
      guard let last = lines.last, last.hasPrefix("failed store permissionDenied") else {
        throw Finding("another user was told \(lines.last ?? process.trouble)")
      }
      try process.finish()
      try stage.audit(place, atLeast: 5)
    }
  ]
}
