#if os(Linux)
  public import Foundation
  import RecordStore

  extension FileManager {
    /// The folder that the processes of a group share, made if it is missing; nil for what is no identifier, or where
    /// the folder cannot be made. The same one as ``ModelConfiguration/GroupContainer/identifier(_:)`` has.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
      do {
        return try GroupContainer(identifier: groupIdentifier, root: ModelConfiguration.containerRoot).createDirectory()
      } catch {
        // The signature is Apple's; a container with the same identifier says what is wrong.
        return nil
      }
    }
  }
#endif
