import Foundation
import RecordStore

extension DeviceSync.Side {
  /// The sides with the key of the place's family, where a device has one. Throws ``SyncError`` `keyNeeded` where a
  /// folder is encrypted and the device has no key, `folderMissing` where a folder has nothing of the shared family to
  /// which the device was invited, and what a key file throws that cannot be read.
  static func keyed(
    _ sides: [DeviceSync.Side], at place: DeviceDirectory.Place, passphrase: String?
  ) throws -> [DeviceSync.Side] {
    guard sides.contains(where: { !$0.isDevice }), let device = sides.first(where: \.isDevice) else {
      return try withOneFamily(sides, at: place)
    }
    let key = try KeyFile.familyKey(
      at: device.directory.keyFile(at: place), of: place.familyID, passphrase: passphrase)
    let keyed = try sides.map { side in
      var keyed = side
      keyed.family = key?.membership?.family
      guard !side.isDevice else { return keyed }
      keyed.key = key
      try keyed.exchange(at: place).refuseBesideSealed(in: side.directory.url)
      return keyed
    }
    try refuseStrangePlace(keyed, place, key)
    return keyed
  }

  /// A folder without files of the shared family is one to begin in for devices that have them: not for one that was
  /// invited and has not met the family, which would go on alone there, nor for a reader's.
  private static func refuseStrangePlace(
    _ sides: [DeviceSync.Side], _ place: DeviceDirectory.Place, _ key: FamilyKey?
  ) throws {
    guard let membership = key?.membership, let device = sides.first(where: \.isDevice) else { return }
    for folder in sides where !folder.isDevice && !folder.isArrival {
      let hasMet = try device.exchange(at: place).isPresent()
      try membership.check(folder.exchange(at: place).standing(), of: folder.path, hasMet: hasMet)
    }
  }

  /// Two devices, with the shared family of both, if their stores belong to one.
  private static func withOneFamily(
    _ sides: [DeviceSync.Side], at place: DeviceDirectory.Place
  ) throws -> [DeviceSync.Side] {
    let keys = try sides.map { try FamilyFile.ifPresent(at: $0.directory.familyFile(at: place))?.key }
    guard let first = keys.compactMap(\.self).first else { return sides }
    guard let family = first.membership?.family, keys.allSatisfy({ $0?.id == first.id }) else {
      throw SyncError(
        .keyNeeded,
        "\(place) belongs to a shared family that not both devices have joined with its present key: run 'tandem join' "
          + "on the other one with an invitation")
    }
    guard !keys.contains(where: { $0?.isReader ?? false }) else {
      throw SyncError(
        .readOnly,
        "a device that only reads in the family of \(place) gets files from the family's folder alone: use --folder or "
          + "--remote")
    }
    return sides.map { side in
      var side = side
      side.family = family
      return side
    }
  }
}

// A folder that a store has used and that does not hold it any more.
extension DeviceSync.Side {
  func absence(of place: DeviceDirectory.Place) throws -> SyncError {
    if let respelled = try exchange(at: place).respelledFolders().first {
      return SyncError(.folderMissing, "\(respelled.file): \(respelled.reason)")
    }
    return SyncError(
      .folderMissing,
      "the folder \(path) held \(place) before and does not any more: it is unmounted or was wiped; mount it again, "
        + "or \(SyncError.remedyOfEmptiedFolder)")
  }
}
