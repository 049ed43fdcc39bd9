/// The texts of the app by what they say. `Localizable.<language>.json` has each of them in each language, and the
/// words of reports beside them (``ReportVocabulary``).
package enum MessageKey: String, CaseIterable, Sendable {
  // Values that are not allowed, and troubles with files, the store and the App Store.
  case verbatim, areaBoughtBefore, birthDateOutside, birthDateForm, latitudeOutside, longitudeOutside, notATimeZone
  case birthTimeOutside, birthTimeForm, noUser, noSuchChart, ambiguousChart, noProfileOfThatName, noSuchProfile
  case ambiguousProfile, profileGone, notAName, noSuchPlace, noPlaceTable, notALongitude, twelveCusps, cuspsNotInOrder
  case twelveHouses, chartTooLarge, notAChart, tenPlanets, planetLatitude, planetSpeed, noFreeCredit, reportDeleted
  case reservationLost, purchasesOff, notSoldHere, purchaseNotVerified, chartGone, areaNotWritten, areaNotSold
  case requestInUse, reportNotWritten, reportEmpty, noStoreYet, noDevice, installationUnusable, positionsUnreadable
  case chartHasReports, wheelUnwritable, cannotPrint, noSuchPurchase, nothingWaits, severalWait, noSuchReport
  case ambiguousReport, writerFailed, noPlacidusHouses, positionsDiffer, planetMovesOtherWay, writerNotStarted
  case writerNotGiven, writerTooLong, writerSignal, writerCode, writerNotUTF8, writerTooSlow, dayWithoutSpans
  case newerChart, positionsNeedTime, incorrectType, placesUnreadable, notAPlaceFile, noSuchPlaceInFile
  case ambiguousPlace

  // What people are told about a purchase: the rows of the error table.
  case messageNetwork = "message.network", messageSystem = "message.system"
  case messageNotAvailableInRegion = "message.notAvailableInRegion"
  case messageVerificationFailed = "message.verificationFailed", messageNotEnoughCredits = "message.notEnoughCredits"
  case messageWaitingForApproval = "message.waitingForApproval"
  case messagePurchasesTurnedOff = "message.purchasesTurnedOff", messageInvalidQuantity = "message.invalidQuantity"
  case messageGenerationFailed = "message.generationFailed", messageAlreadyPurchased = "message.alreadyPurchased"
  case messageIncorrectProductType = "message.incorrectProductType"

  // The paywall.
  case paywallTitle, paywallBuy, paywallBalance, paywallGetReport, paywallRecover, paywallPitch

  // Names.
  case planetSun = "planet.sun", planetMoon = "planet.moon", planetMercury = "planet.mercury"
  case planetVenus = "planet.venus", planetMars = "planet.mars", planetJupiter = "planet.jupiter"
  case planetSaturn = "planet.saturn", planetUranus = "planet.uranus", planetNeptune = "planet.neptune"
  case planetPluto = "planet.pluto", signAries = "sign.aries", signTaurus = "sign.taurus", signGemini = "sign.gemini"
  case signCancer = "sign.cancer", signLeo = "sign.leo", signVirgo = "sign.virgo", signLibra = "sign.libra"
  case signScorpio = "sign.scorpio", signSagittarius = "sign.sagittarius", signCapricorn = "sign.capricorn"
  case signAquarius = "sign.aquarius", signPisces = "sign.pisces", elementFire = "element.fire"
  case elementEarth = "element.earth", elementAir = "element.air", elementWater = "element.water"
  case modalityCardinal = "modality.cardinal", modalityFixed = "modality.fixed", modalityMutable = "modality.mutable"
  case aspectConjunction = "aspect.conjunction", aspectOpposition = "aspect.opposition", aspectTrine = "aspect.trine"
  case aspectSquare = "aspect.square", aspectSextile = "aspect.sextile", motionApplying = "motion.applying"
  case motionSeparating = "motion.separating", motionExact = "motion.exact", areaPersonality = "area.personality"
  case areaCareer = "area.career", areaRelationship = "area.relationship", areaWellness = "area.wellness"
  case areaFinances = "area.finances", quarantineUnverified = "quarantine.unverified"
  case quarantineUnknownProduct = "quarantine.unknownProduct", quarantineWrongType = "quarantine.wrongType"
  case quarantineFamilyShared = "quarantine.familyShared", quarantineWrongQuantity = "quarantine.wrongQuantity"
  case quarantineOtherApp = "quarantine.otherApp", deliveryPurchase = "delivery.purchase"
  case deliveryUpdates = "delivery.updates", deliveryRecovery = "delivery.recovery"
  case deliveryUnknown = "delivery.unknown"

  // Titles of columns.
  case columnRequest, columnDate, columnArea, columnChart, columnProfile, columnCredit, columnState, columnTransaction
  case columnSince, columnProduct, columnReason, columnAccount, columnStorefront, columnPurchases, columnAskToBuy
  case columnFamily, columnDevices, columnDevice, columnQuantity, columnPrice, columnHouse, columnSign, columnDegree
  case columnPoint, columnPlace, columnLatitude, columnLongitude, columnTimeZone, columnID, columnPerson, columnCharts
  case columnReports, columnTitle, columnCredits, columnDiscount, columnBorn, columnPlanet, columnADay, columnMotion
  case columnAspect, columnDeviation, columnLanguage, columnWords, columnMade, columnUsed, columnDelivery

  // Answers of commands, and words on the wheel.
  case ascendant, midheaven, wheelAscendant, ascendantShort, descendantShort, bought, credits, charts, reports
  case notTold, recovered, refunded, refundReversed, putAside, approved, declined, storeRefunded, storeReversed
  case balanceAvailable, balanceConsumed, balancePurchased, balanceRevoked, balanceOverdrawn, chartAdded, generated
  case renamed, deleted, recalculated, areaOwned, areaAvailable, areaLocked, stateRefunded, stateNotFinished
  case stateFinished, stateSpent, stateFree, overdraft, statisticsPurchases, statisticsSpent, statisticsReports
  case discount, retrograde, housesPlacidus, housesEqual, houses, clockSkipped, clockRepeated, sharedHistory, on, off
  case faultAdded, faults, storeReset, timeUnknown, noTime, moonWay, subscribed, planNone, planActive, planRenews
  case planEnds, planGrace, planExpired, planNotBegun, planRevoked, planChanged, paidByPlan

  /// The key of a name, such as `planet.sun`. Each group has one for each value; a test holds it so.
  package static func name(_ group: String, _ value: String) -> MessageKey {
    guard let key = MessageKey(rawValue: "\(group).\(value)") else {
      preconditionFailure("the texts have no name for \(value) in the group \(group)")
    }
    return key
  }
}
