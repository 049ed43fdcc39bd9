import Foundation

/// The file system of `Tests/CampaignCalls/log-disk.c`: one file, all of whose writes are logged.
enum FuseDisk {
  /// Compiles it; throws ``EnvironmentCase/Skip`` where the kernel's headers are missing.
  static func compile(to program: String) throws {
    do {
      try CompiledSource.compile("log-disk.c", to: program)
    } catch let trouble as Trouble {
      throw EnvironmentCase.Skip(trouble.description)
    }
  }

  /// Mounts it, lends it, and takes it off. Throws ``EnvironmentCase/Skip`` where the machine does not allow it.
  static func lend(program: String, at place: URL, image: String, log: String?, _ body: () throws -> Void) throws {
    let process = try Child([program, place.path, image] + (log.map { [$0] } ?? []))
    guard try process.line() == "mounted" else {
      _ = try process.finish()
      throw EnvironmentCase.Skip("a FUSE file system cannot be mounted: \(process.trouble)")
    }
    Workplace.current.mounted(place.path)
    let outcome = Result { try body() }
    umount2(place.path, Int32(MNT_DETACH))
    Workplace.current.unmounted(place.path)
    _ = try process.finish()
    try outcome.get()
  }
}
